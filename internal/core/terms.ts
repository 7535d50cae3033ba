/**
 * Numbers and words of the ledger that help, schemas and examples say too, and what holds for a user
 * who says nothing. They stand here so that each is written once, and saying it loads no ledger.
 */

/** Pulses ahead that the ledger takes a transaction for. */
export const MAX_VALIDITY_PULSES = 10_000n;
/** Pulses that a transaction may wait unless said otherwise. */
export const DEFAULT_VALIDITY_PULSES = 20;

/** Pulses from asking for money of a bond to having it. */
export const RELEASE_PULSES = 1000n;
/** Pulses that a reservation can last. */
export const MAX_RESERVATION_PULSES = 100_000n;
/** Pulses that a reservation lasts unless said otherwise. */
export const DEFAULT_RESERVATION_PULSES = 1000;
/** Pulses that a dispute waits for the adjudicator. */
export const DISPUTE_PULSES = 1000n;
/** Pulses from stopping a delegation, or a validator, to having its stake. */
export const UNBONDING_PULSES = 1000n;
/** The least that is delegated, micro-USD. */
export const MIN_DELEGATION = 1_000_000n;
/** The least own stake that a validator registers with, micro-USD. */
export const MIN_OWN_STAKE = 1_000_000_000n;
/** A commission of everything: it is counted in ten-thousandths. */
export const FULL_COMMISSION = 10_000;

/** Bytes of why somebody disputes or judges a claim. */
export const MAX_CLAIM_REASON_BYTES = 1024;

/** Bytes of what a claim states in words. */
export const MAX_SUBJECT_BYTES = 1024;
/** What kind of statement a claim is unless said otherwise. */
export const DEFAULT_CLAIM_SCHEMA = "note/v1";
/** Pulses that a claim can be valid for, if it is not without end. */
export const MAX_CLAIM_PULSES = 1_000_000_000n;
/** Pulses that a claim is valid for unless said otherwise. */
export const DEFAULT_CLAIM_PULSES = 1000;
/** Thousandths of a claim whose falsehood would be noticed for certain. */
export const FULL_DETECTION = 1000;

/** How claims stand. Only on an active one can anything be built. */
export const CLAIM_STATUSES = ["Active", "Disputed", "Expired", "Refuted", "Revoked"] as const;

/** The safety factor κ unless said otherwise, in millionths. */
export const DEFAULT_KAPPA = 2_000_000n;
/** The safety factor κ that a task can ask for, in millionths. */
export const MAX_TASK_KAPPA = 1_000_000_000_000n;

/** Pulses that a task can be settled for. */
export const MAX_TASK_PULSES = 1_000_000_000n;
/** Pulses that a task can be settled for unless said otherwise. */
export const DEFAULT_TASK_PULSES = 1000;
/** The largest detection factor of results unless a task says otherwise, in thousandths. */
export const DEFAULT_TASK_DETECTION = 900;
/** Pulses that what backs a paid result stays reserved unless a task says otherwise. */
export const DEFAULT_RELIANCE_PULSES = 1000;
/** Label of the bond that attests outputs unless another is named. */
export const VERIFIER_BOND_LABEL = "verifier";

/** How tasks stand: one that is open past its deadline is expired. */
export const TASK_STATES = ["open", "expired", "paid", "refunded"] as const;

/** Pulses from one whose beacon is kept to the next; rounds of storage deals begin at such. */
export const BEACON_PULSES = 8n;
/** Pulses of the longest round of a storage deal. */
export const MAX_ROUND_PULSES = 100_000n;
/** Pulses of a storage deal's round unless said otherwise. */
export const DEFAULT_ROUND_PULSES = 16;
/** Rounds of the longest storage deal. */
export const MAX_ROUNDS = 1_000_000n;
/** Leaves of a file that a round can ask for. */
export const MAX_CHALLENGES = 16;
/** Leaves that a round asks for unless said otherwise. */
export const DEFAULT_CHALLENGES = 4;
/** Pulses that a storage deal can be accepted in, unless said otherwise. */
export const ACCEPTANCE_PULSES = 200;
