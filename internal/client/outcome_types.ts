/** How a transaction is watched while it is signed and waited for, and what came of it. */
import type { Digest, JsonValue, ObjectId } from "#internal/core/mod.ts";

/** A transaction that is about to be signed. */
export interface Signing {
  readonly wallet: string;
  readonly digest: Digest;
  /** Digest of the unit it is a member of. */
  readonly unit: string;
  readonly sequence: bigint;
  /** The last Pulse it may execute in. */
  readonly validUntil: bigint;
  /** As in `Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 238.` */
  readonly intent: string;
}

/** What the ledger answered. Field names are those of the MCP tools' results. */
export type Outcome = {
  readonly digest: Digest;
  /** Decimal USD. */
  readonly fee: string;
  /** The Pulse it executed in. */
  readonly pulse: number;
  /** The receipt as a sentence. */
  readonly receipt: string;
  readonly status: "Success" | { readonly Failed: string };
  readonly events: readonly JsonValue[];
  /** Ids of the objects it made, in order. */
  readonly made: readonly ObjectId[];
};

/** Options of everything that signs. */
export interface SignOptions {
  /**
   * Called for each unit before it is signed, kept or sent, in order. What it throws stops all of
   * it, with nothing kept or sent. What it records is durable before anything leaves. The wallet is
   * held meanwhile: it must not call the client.
   */
  readonly onSign?: (signing: Signing) => void | Promise<void>;
  /** Called as each outcome is known, in order. */
  readonly onOutcome?: (outcome: Outcome, index: number) => void;
  /** Aborting stops the waiting; what was sent may still execute, and is kept. */
  readonly signal?: AbortSignal;
  /** How many Pulses from now it may execute in. @default 20 */
  readonly validForPulses?: number;
  /** The keyless agent that acts, and pays the fee, in place of the wallet, which signs for it. */
  readonly keyless?: ObjectId;
}

/** Options of what signs, where the node can be asked beforehand whether the ledger will take it. */
export interface Foreseeing extends SignOptions {
  /**
   * Refuse what is bound to fail as things are, with nothing signed; otherwise the ledger answers,
   * for a fee. @default false
   */
  readonly foresee?: boolean;
}

/** A call that can be given up. */
export interface Abortable {
  readonly signal?: AbortSignal;
}
