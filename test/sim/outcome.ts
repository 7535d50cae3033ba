/** What a simulated run comes to. */
import type { Violation } from "./violation.ts";

/** What came of a run. */
export interface Outcome {
  /** The first broken promise; undefined in a good run. */
  readonly violation?: Violation;
  /** Events of the run, a measure of its length. */
  readonly steps: number;
  readonly rounds: number;
  readonly pulses: number;
  readonly executed: number;
  readonly finals: number;
  readonly voids: number;
  readonly expired: number;
  /** How often the head of a memory log moved. */
  readonly memoryMoves: number;
  /** How many rounds of storage deals were proven. */
  readonly roundsProven: number;
  /** Agents that were spawned by others. */
  readonly spawned: number;
  /** Delegations that earned. */
  readonly earning: number;
  readonly crashes: number;
  /** Snapshots that honest validators took. */
  readonly snapshots: number;
  readonly sessions: number;
  /** Slashings of validators. */
  readonly slashed: number;
  /** Claims found false. */
  readonly refuted: number;
  /** Tasks paid, and tasks whose money went back. */
  readonly paid: number;
  readonly refunded: number;
  /** Digest of the newest header: equal for equal runs. */
  readonly head: string;
}
