/**
 * When a validator makes its next block: as fast as a token bucket lets while there is something to
 * do, ever slower while there is nothing, and not before the round's leader had its time.
 */
import type { Tuning } from "./contract.ts";

/** Measured values; see the design page of the ledger, "Pace". */
export const DEFAULT_TUNING: Tuning = {
  burst: 3,
  refillMs: 45,
  loadedMs: 200,
  gatherMs: 20,
  recentMs: 500,
  trailMs: 120,
  allMs: 150,
  restMs: 300,
  leaderMs: 300,
  leaderMaxMs: 2400,
  idle: [
    { afterMs: 0, everyMs: 1000 },
    { afterMs: 5000, everyMs: 2000 },
    { afterMs: 15_000, everyMs: 4000 },
  ],
  retryMs: 500,
  queueBytes: 4 << 20,
};

/** What the pace depends on at a moment. */
export interface PaceFacts {
  readonly nowMs: number;
  /** Something waits to be voted, executed or certified. */
  readonly busy: boolean;
  /** Units that wait to be voted or confirmed: clients wait for this block. */
  readonly undecided: number;
  /** The leader's block and the support for the one before are in, or nothing more can come. */
  readonly leaderIn: boolean;
  /** So is the block of everybody who had one in the round before. */
  readonly allIn: boolean;
  /** It is this validator's turn to leave the round out, and the others can go on without it. */
  readonly rests: boolean;
}

/** Whether to go on now, or when to look again; undefined: when something arrives. */
export type PaceVerdict = { readonly go: true } | { readonly go: false; readonly atMs: number };

/** Tokens that only urgent blocks take: the Votes and the Confirms of a payment that comes next. */
const RESERVED = 2;

/** So many recent units are many: for less, waits are shorter in proportion. */
const MANY_UNITS = 24;
/** So many are a crowd. */
const CROWD_UNITS = 12;

/** The pace of one validator. */
export class Pace {
  readonly #tuning: Tuning;
  #tokens: number;
  #refilledMs = Number.NEGATIVE_INFINITY;
  #loaded = false;
  #lastBlockMs = Number.NEGATIVE_INFINITY;
  #lastNewsMs = Number.NEGATIVE_INFINITY;
  #lastUnitMs = Number.NEGATIVE_INFINITY;
  #recentUnits = 0;
  /** The most units that were undecided at once in this span of `recentMs` and in the one before. */
  #peak = 0;
  #earlierPeak = 0;
  #peakSinceMs = Number.NEGATIVE_INFINITY;
  /** The round that can be made, and when its parents' quorum was first seen. */
  #readyRound = 0;
  #readyMs: number | undefined;
  /** Leader timeouts since the last commit. */
  #timeouts = 0;

  constructor(tuning: Tuning) {
    this.#tuning = tuning;
    this.#tokens = tuning.burst;
  }

  /** A submission, or a block that is not empty: the idle intervals begin anew. */
  news(nowMs: number): void {
    this.#lastNewsMs = nowMs;
  }
  /** A client's unit came, here or at a peer. */
  unit(nowMs: number): void {
    this.news(nowMs);
    this.#recentUnits = this.#recentUnitsAt(nowMs) + 1;
    this.#lastUnitMs = nowMs;
  }
  #recentUnitsAt(nowMs: number): number {
    return this.#recentUnits * Math.exp((this.#lastUnitMs - nowMs) / this.#tuning.recentMs);
  }
  /** How long no unit must have come: the longer, the more came lately. */
  get #quietMs(): number {
    return Math.floor(this.#tuning.gatherMs * Math.min(1, this.#recentUnits / MANY_UNITS));
  }
  /**
   * How long a block waits that no client waits for. Clients that were just told
   * of their payments are about to make the next ones, and a block made before they come would have
   * these wait for the whole of a round that says little.
   */
  #trailMs(nowMs: number): number {
    const share = Math.min(1, this.#recentUnitsAt(nowMs) / MANY_UNITS);
    return Math.floor(this.#tuning.trailMs * share);
  }
  /** As many units are undecided as lately at most: whoever waited for one has sent the next. */
  #allCame(undecided: number, nowMs: number): boolean {
    const sinceMs = nowMs - this.#peakSinceMs;
    if (sinceMs > this.#tuning.recentMs) {
      this.#earlierPeak = sinceMs > 2 * this.#tuning.recentMs ? 0 : this.#peak;
      this.#peak = 0;
      this.#peakSinceMs = nowMs;
    }
    this.#peak = Math.max(this.#peak, undecided);
    return undecided >= Math.max(this.#peak, this.#earlierPeak);
  }
  /** Whether something waits for verification at the caller. */
  load(waiting: boolean, nowMs: number): void {
    this.#refill(nowMs);
    this.#loaded = waiting;
  }
  get isLoaded(): boolean {
    return this.#loaded;
  }
  /** An anchor was committed. */
  committed(): void {
    this.#timeouts = 0;
  }
  /** The quorum for a round is there; later calls for the same round change nothing. */
  roundReady(round: number, nowMs: number): void {
    if (round !== this.#readyRound) this.#readyMs = undefined;
    this.#readyRound = round;
    this.#readyMs ??= nowMs;
  }
  /** So many units come that rounds are worth leaving out. */
  isCrowded(nowMs: number): boolean {
    return this.#recentUnitsAt(nowMs) >= CROWD_UNITS;
  }
  /** A block was made. */
  blockMade(nowMs: number, timedOut: boolean): void {
    this.#refill(nowMs);
    this.#tokens = Math.max(0, this.#tokens - 1);
    this.#lastBlockMs = nowMs;
    this.#readyMs = undefined;
    if (timedOut) this.#timeouts++;
  }

  /** The interval between blocks while idle. */
  idleMs(nowMs: number): number {
    const quiet = nowMs - this.#lastNewsMs;
    let every = 0;
    for (const step of this.#tuning.idle) if (quiet >= step.afterMs) every = step.everyMs;
    return every;
  }

  /** How long this round waits for its leader. */
  get leaderWaitMs(): number {
    const { leaderMs, leaderMaxMs } = this.#tuning;
    return Math.min(leaderMs * 2 ** Math.min(this.#timeouts, 10), leaderMaxMs);
  }

  /** Decides, given that the quorum for the next round is there. */
  decide({ nowMs, busy, undecided, leaderIn, allIn, rests }: PaceFacts): PaceVerdict {
    this.#refill(nowMs);
    const { burst, refillMs, loadedMs, allMs, restMs } = this.#tuning;
    const readyMs = this.#readyMs ?? nowMs;
    let atMs = nowMs;
    if (busy) {
      const needed = undecided > 0 ? 1 : Math.max(1, Math.min(1 + RESERVED, burst));
      const missing = needed - this.#tokens;
      if (missing > 0) atMs = this.#refilledMs + missing * refillMs;
      if (undecided === 0) atMs = Math.max(atMs, readyMs + this.#trailMs(nowMs));
    } else {
      atMs = Math.max(atMs, this.#lastBlockMs + this.idleMs(nowMs));
    }
    // What is being verified may be a parent or a unit to vote for, and who sent many units sends more.
    const allCame = this.#allCame(undecided, nowMs);
    const heldMs = this.#loaded
      ? nowMs + loadedMs
      : this.#lastUnitMs + (allCame ? 0 : this.#quietMs);
    if (heldMs > atMs) atMs = Math.max(atMs, Math.min(heldMs, readyMs + loadedMs));
    if (!allIn) atMs = Math.max(atMs, readyMs + allMs);
    if (rests) atMs = Math.max(atMs, readyMs + restMs);
    if (!leaderIn) atMs = Math.max(atMs, readyMs + this.leaderWaitMs);
    return atMs <= nowMs ? { go: true } : { go: false, atMs };
  }

  #refill(nowMs: number): void {
    const { burst, refillMs } = this.#tuning;
    if (this.#refilledMs === Number.NEGATIVE_INFINITY) this.#refilledMs = nowMs;
    const earned = Math.floor((nowMs - this.#refilledMs) / refillMs);
    if (earned <= 0) return;
    this.#tokens = Math.min(burst, this.#tokens + earned);
    this.#refilledMs = this.#tokens === burst ? nowMs : this.#refilledMs + earned * refillMs;
  }
}
