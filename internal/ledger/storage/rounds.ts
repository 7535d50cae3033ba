/**
 * How a storage deal comes along: rounds of Pulses from its acceptance on. Nothing is written when a
 * round ends without a proof; what was missed is found by counting. docs/protocol/storage.md.
 */
import { BEACON_PULSES } from "#internal/core/mod.ts";

/** Rounds missed in a row by which a provider has abandoned a deal. */
const ABANDONED_ROUNDS = 3n;

/** The terms that rounds hang on. */
export interface RoundTerms {
  readonly rounds: bigint;
  /** Pulses of a round. */
  readonly length: bigint;
}

/** How far an accepted deal is. */
export interface RoundRecord {
  /** First Pulse of round 1. */
  readonly start: bigint;
  /** Rounds proven. */
  readonly proven: bigint;
  /** The last of them, from 1; 0 without any. */
  readonly last: bigint;
}

/** What an accepted deal has come to at a Pulse. */
export interface Progress {
  /** The round under way, from 1; null before the first and after the last. */
  readonly round: bigint | null;
  /** Rounds that ended without a proof. */
  readonly missed: bigint;
  /** The last three or more rounds that ended were missed. */
  readonly abandoned: boolean;
  /** All rounds have ended. */
  readonly over: boolean;
}

/** First Pulse of the first round of a deal that is accepted in a Pulse. */
export function firstRoundAt(accepted: bigint): bigint {
  return (accepted / BEACON_PULSES + 1n) * BEACON_PULSES;
}

/** First Pulse of a round, whose beacon draws its challenge. */
export function roundStart({ length }: RoundTerms, start: bigint, round: bigint): bigint {
  return start + (round - 1n) * length;
}

/** The Pulse from which on a deal is over. */
export function dealEnd(terms: RoundTerms, start: bigint): bigint {
  return roundStart(terms, start, terms.rounds + 1n);
}

/** What a deal has come to at a Pulse. */
export function progressAt(
  { rounds, length }: RoundTerms,
  { start, proven, last }: RoundRecord,
  pulse: bigint,
): Progress {
  const begun = pulse >= start;
  const passed = begun ? (pulse - start) / length : 0n;
  const finished = passed < rounds ? passed : rounds;
  const over = finished === rounds;
  return {
    round: begun && !over ? finished + 1n : null,
    missed: finished - proven + (last > finished ? 1n : 0n),
    abandoned: finished - last >= ABANDONED_ROUNDS,
    over,
  };
}
