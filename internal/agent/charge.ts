/** A request to a model in the budgets that it draws on. */

/** A request that is counted at its most until its cost is known. */
export interface Charge {
  /** Counts it at what it cost, micro-USD. */
  settle(costMicro: bigint): void;
}
