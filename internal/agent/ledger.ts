/** What an agent's tools need of the ledger. `client_ledger.ts` is the real one. */
import type { Outcome } from "#internal/client/mod.ts";

/** The agent's money and limits, as of a Pulse. Amounts are decimal USD. */
export interface Budget {
  /** What the allotment still holds. */
  readonly budget_remaining_usd: string;
  /** The charter it pays under. */
  readonly charter: string;
  /** The last Pulse it may pay in; null: no end. */
  readonly expires_at_pulse: number | null;
  /** What its account holds for fees. */
  readonly fee_money_usd: string;
  /** The most one payment may be; null: no limit of its own. */
  readonly max_payment_usd: string | null;
  /** Who it may pay, by name where known; null: anyone. */
  readonly payees: readonly string[] | null;
  readonly pulse: number;
  /** What its bucket lets through now, and the allotment holds. */
  readonly spendable_now_usd: string;
  /** `good`, or why the ledger refuses its payments now. */
  readonly standing: string;
}

/** A payment that was signed: kept before it is sent. */
export interface SignedPayment {
  readonly transaction: string;
  /** Digest of the unit it is in. */
  readonly unit: string;
  /** What was signed, as a sentence. */
  readonly intent: string;
  readonly wallet: string;
  readonly sequence: bigint;
  readonly validUntil: bigint;
}

/** A payment out of the agent's allotment. */
export interface AgentPayment {
  /** A wallet name (devnet) or an account. */
  readonly to: string;
  /** Micro-USD. */
  readonly amount: bigint;
  readonly purpose: string;
  /** The session and the call that make it; its receipt claim names them. */
  readonly session: string;
  readonly call: string;
  /** Called when it is signed and before it can be sent; throwing sends nothing. */
  readonly onSigned: (signed: SignedPayment) => void;
  readonly signal: AbortSignal;
}

/** The ledger as one agent acts on it. Failures are thrown as the client's errors. */
export interface AgentLedger {
  budget(signal: AbortSignal): Promise<Budget>;
  /** Pays and waits for the receipt, a failed one included. */
  pay(payment: AgentPayment): Promise<Outcome>;
  /**
   * What became of a payment that was signed, completing it where it is on its way. `not-made`: it
   * was not sent and never will be. `unknown`: nobody can say yet.
   */
  outcome(signed: SignedPayment, signal: AbortSignal): Promise<Outcome | "not-made" | "unknown">;
}
