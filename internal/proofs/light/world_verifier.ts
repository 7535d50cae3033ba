/** Who executes a Pulse again, from its order and a witness of the state before. */
import type { DualBackend } from "#internal/crypto/mod.ts";
import type { Header } from "../header.ts";
import type { ParameterFields, SessionConfig } from "../session_config.ts";
import type { WorldOrdered } from "../world/world_input.ts";

/** What a World Proof is checked from. Everything but the witness is proven already. */
export interface WorldClaim {
  readonly header: Header;
  /** The header of the Pulse before. */
  readonly before: Header;
  /** In certified order, as published. */
  readonly ordered: readonly WorldOrdered[];
  /** Of the chain. */
  readonly parameters: ParameterFields;
  /** The next session's config; of a session's last Pulse alone. */
  readonly next: SessionConfig | undefined;
  /** As the node served it. */
  readonly witness: Uint8Array;
  /** Verifies the clients' signatures. */
  readonly backend: DualBackend;
}

/** What the execution showed. */
export type WorldVerdict =
  | {
    readonly ok: true;
    /** Leaves re-verified: one a shard. */
    readonly leaves: number;
    /** The executors that came to the header's roots, by name. */
    readonly stacks: readonly string[];
  }
  | { readonly ok: false; readonly reason: string };

/** Executes a Pulse again and compares every field of the header that execution fixes. */
export type WorldVerifier = (claim: WorldClaim) => Promise<WorldVerdict>;
