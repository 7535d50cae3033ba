/** How far back ordering and statements look: what lies deeper can never change a decision. */
import { SPAN_ROUNDS } from "#internal/proofs/mod.ts";

/** Blocks more than this many rounds below the previous anchor are never ordered. */
export const HORIZON_ROUNDS = 128;

/** Both distances of a chain. A Confirm's votes and the Confirms of a certificate lie within half the horizon. */
export interface Reach {
  /** Blocks more rounds below the previous anchor are never ordered. */
  readonly horizonRounds: number;
  /** Votes lie at most so many rounds below a Confirm, and Confirms of a certificate so many apart. */
  readonly spanRounds: number;
}

/** The distances that the protocol fixes. */
export const REACH: Reach = { horizonRounds: HORIZON_ROUNDS, spanRounds: SPAN_ROUNDS };
