/**
 * A term: the span of one session. It is due to end with its epoch, or soon after a validator
 * changed. It closes for statements by round, so that all validators agree which still count.
 */
import type { ChainParameters, Header } from "#internal/proofs/mod.ts";
import {
  firstRoundOf,
  lastRoundOf,
  PULSE_ROUNDS,
  sessionEndAfterChange,
} from "#internal/proofs/mod.ts";
import { epochEndAfter, ROTATION_PULSES } from "#internal/ledger/mod.ts";
import { MAX_ROUND } from "./unit_facts.ts";

/** Where a term begins. */
interface TermStart {
  readonly session: number;
  readonly epoch: bigint;
  /** Its first round, whose blocks have no parents. */
  readonly firstRound: number;
  /** The Pulse at which its epoch ends; null: never. */
  readonly epochEnd: bigint | null;
}

function closeOf(sessionEnd: bigint | null): number {
  return sessionEnd === null ? MAX_ROUND : Math.min(firstRoundOf(Number(sessionEnd)), MAX_ROUND);
}

/** One session's place in the chain. Its end can come nearer while it lasts. */
export class Term implements TermStart {
  readonly session: number;
  readonly epoch: bigint;
  readonly firstRound: number;
  readonly epochEnd: bigint | null;
  #sessionEnd: bigint | null;
  #closeRound: number;

  constructor(start: TermStart, sessionEnd: bigint | null) {
    this.session = start.session;
    this.epoch = start.epoch;
    this.firstRound = start.firstRound;
    this.epochEnd = start.epochEnd;
    this.#sessionEnd = sessionEnd;
    this.#closeRound = closeOf(sessionEnd);
  }

  /** The Pulse at which it is due to end; null while none is set. */
  get sessionEnd(): bigint | null {
    return this.#sessionEnd;
  }
  /** Statements on units count only below it, and the first anchor from it on is the last. */
  get closeRound(): number {
    return this.#closeRound;
  }

  /** A validator changed, and waits for the next session. */
  get isEndingForChange(): boolean {
    return this.#sessionEnd !== this.epochEnd;
  }

  /** Rounds below it are below the close, whatever Pulses after the newest executed one bring. */
  openBelow(executed: number): number {
    if (this.#sessionEnd !== null) return this.#closeRound;
    return firstRoundOf(executed + 1 + Number(ROTATION_PULSES));
  }

  /** A validator changed in a Pulse. */
  changed(pulse: bigint): void {
    this.#sessionEnd = sessionEndAfterChange(this.#sessionEnd, pulse);
    this.#closeRound = closeOf(this.#sessionEnd);
  }
}

/** What terms are counted by. */
type Lengths = { readonly parameters: Pick<ChainParameters, "epochPulses"> };

/** The term that a header is of. */
export function termOf(header: Header, firstRound: number, { parameters }: Lengths): Term {
  const { session, epoch, sessionEnd } = header;
  const after = BigInt((firstRound - 1) / PULSE_ROUNDS);
  const epochEnd = epochEndAfter(after, parameters.epochPulses ?? null);
  return new Term({ session, epoch, firstRound, epochEnd }, sessionEnd);
}

/** The term after one whose last Pulse is given. Its epoch is the next if the last Pulse ended one. */
export function termAfter(term: Term, lastPulse: number, { parameters }: Lengths): Term {
  const isNewEpoch = term.epochEnd !== null && BigInt(lastPulse) >= term.epochEnd;
  const epochEnd = epochEndAfter(BigInt(lastPulse), parameters.epochPulses ?? null);
  return new Term({
    session: term.session + 1,
    epoch: term.epoch + (isNewEpoch ? 1n : 0n),
    firstRound: lastRoundOf(lastPulse) + 1,
    epochEnd,
  }, epochEnd);
}
