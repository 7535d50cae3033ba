/**
 * How far back ordering and statements look (what lies deeper can never change a decision), and how
 * much one Pulse executes.
 */
import { MAX_PULSE_BYTES, SPAN_ROUNDS } from "#internal/proofs/mod.ts";

/** Blocks more than this many rounds below the previous anchor are never ordered. */
export const HORIZON_ROUNDS = 128;

/** Distances and sizes of a chain. A Confirm's votes and the Confirms of a certificate lie within half the horizon. */
export interface Reach {
  /** Blocks more rounds below the previous anchor are never ordered. */
  readonly horizonRounds: number;
  /** Votes lie at most so many rounds below a Confirm, and Confirms of a certificate so many apart. */
  readonly spanRounds: number;
  /**
   * Bytes of what one Pulse executes, as it is published; the rest is left to the next.
   * @default the protocol's
   */
  readonly pulseBytes?: number;
}

/** What the protocol fixes. */
export const REACH: Required<Reach> = {
  horizonRounds: HORIZON_ROUNDS,
  spanRounds: SPAN_ROUNDS,
  pulseBytes: MAX_PULSE_BYTES,
};
