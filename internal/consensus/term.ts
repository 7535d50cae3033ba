/**
 * A term: the span of one session. While only epochs end sessions, a session is an epoch. It closes
 * for statements by round, so that all validators agree which still count.
 */
import type { Genesis, Header } from "#internal/proofs/mod.ts";
import { firstRoundOf, lastRoundOf } from "#internal/proofs/mod.ts";
import { MAX_ROUND } from "./unit_facts.ts";

/** One session's place in the chain. */
export interface Term {
  readonly session: number;
  readonly epoch: bigint;
  /** The Pulse at which it is due to end; null: never. */
  readonly sessionEnd: bigint | null;
  /** Its first round, whose blocks have no parents. */
  readonly firstRound: number;
  /** Statements on units count only below it, and the first anchor from it on is the last. */
  readonly closeRound: number;
}

function closeOf(sessionEnd: bigint | null): number {
  return sessionEnd === null ? MAX_ROUND : Math.min(firstRoundOf(Number(sessionEnd)), MAX_ROUND);
}

/** The term that a header is of. */
export function termOf(header: Header, firstRound: number): Term {
  const { session, epoch, sessionEnd } = header;
  return { session, epoch, sessionEnd, firstRound, closeRound: closeOf(sessionEnd) };
}

/** The term after one whose last Pulse is given: it ends at the next multiple of the epoch's length. */
export function termAfter(term: Term, lastPulse: number, { parameters }: Genesis): Term {
  const length = parameters.epochPulses;
  const sessionEnd = length === undefined ? null : (BigInt(lastPulse) / length + 1n) * length;
  return {
    session: term.session + 1,
    epoch: term.epoch + 1n,
    sessionEnd,
    firstRound: lastRoundOf(lastPulse) + 1,
    closeRound: closeOf(sessionEnd),
  };
}
