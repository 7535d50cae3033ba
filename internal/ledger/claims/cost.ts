/** What it costs to corrupt something: micro-USD, or more than any money buys. */

/** Micro-USD, or `infinite`. */
export type Cost = bigint | "infinite";

/** Whether `a` is below `b`. */
export function isBelow(a: Cost, b: Cost): boolean {
  if (a === "infinite") return false;
  return b === "infinite" || a < b;
}

/** The lesser of two costs. */
export function lesser(a: Cost, b: Cost): Cost {
  return isBelow(b, a) ? b : a;
}

/** Both costs together. */
export function plus(a: Cost, b: Cost): Cost {
  return a === "infinite" || b === "infinite" ? "infinite" : a + b;
}

/** The cost in thousandths of itself, rounded down. @param permille 1 to 1000 */
export function discounted(cost: Cost, permille: number): Cost {
  return cost === "infinite" ? cost : cost * BigInt(permille) / 1000n;
}

/** A part in n equal ones, rounded down. */
export function shareOf(cost: Cost, parts: number): Cost {
  return cost === "infinite" ? cost : cost / BigInt(parts);
}
