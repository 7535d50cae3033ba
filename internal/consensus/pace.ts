/**
 * When a validator makes its next block: as fast as a token bucket lets while there is something to
 * do, ever slower while there is nothing, and not before the round's leader had its time.
 */
import type { Tuning } from "./contract.ts";

/** Measured values; see the design page of the ledger, "Pace". */
export const DEFAULT_TUNING: Tuning = {
  burst: 3,
  refillMs: 60,
  loadedRefillMs: 150,
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
  /** The leader's block and the support for the one before are in, or nothing more can come. */
  readonly leaderIn: boolean;
}

/** Whether to go on now, or when to look again; undefined: when something arrives. */
export type PaceVerdict = { readonly go: true } | { readonly go: false; readonly atMs: number };

/** The pace of one validator. */
export class Pace {
  readonly #tuning: Tuning;
  #tokens: number;
  #refilledMs = Number.NEGATIVE_INFINITY;
  #loaded = false;
  #lastBlockMs = Number.NEGATIVE_INFINITY;
  #lastNewsMs = Number.NEGATIVE_INFINITY;
  /** When the parents' quorum of the next round was first seen. */
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
  /** The quorum for the next round is there; later calls for the same round change nothing. */
  roundReady(nowMs: number): void {
    this.#readyMs ??= nowMs;
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
  decide({ nowMs, busy, leaderIn }: PaceFacts): PaceVerdict {
    this.#refill(nowMs);
    let atMs = nowMs;
    if (busy) {
      if (this.#tokens < 1) atMs = this.#refilledMs + this.#refillMs;
    } else {
      atMs = Math.max(atMs, this.#lastBlockMs + this.idleMs(nowMs));
    }
    if (!leaderIn) atMs = Math.max(atMs, (this.#readyMs ?? nowMs) + this.leaderWaitMs);
    return atMs <= nowMs ? { go: true } : { go: false, atMs };
  }

  get #refillMs(): number {
    return this.#loaded ? this.#tuning.loadedRefillMs : this.#tuning.refillMs;
  }

  #refill(nowMs: number): void {
    if (this.#refilledMs === Number.NEGATIVE_INFINITY) this.#refilledMs = nowMs;
    const earned = Math.floor((nowMs - this.#refilledMs) / this.#refillMs);
    if (earned <= 0) return;
    this.#tokens = Math.min(this.#tuning.burst, this.#tokens + earned);
    this.#refilledMs = this.#tokens === this.#tuning.burst
      ? nowMs
      : this.#refilledMs + earned * this.#refillMs;
  }
}
