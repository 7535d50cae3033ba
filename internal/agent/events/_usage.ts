/** What is kept of what a request to a model took, and how it is added up. */
import * as z from "zod";
import type { KeptUsage, SessionState } from "../state.ts";
import { count } from "./_event.ts";

/** Micro-USD; exact JSON has small integers as numbers. */
export const micro: z.ZodType<bigint> = z.union([count, z.bigint().min(0n)]).transform((value) =>
  BigInt(value)
);

/** The form of a `KeptUsage`. */
export const usageSchema: z.ZodType<KeptUsage> = z.object({
  input: count,
  output: count,
  estimated: z.boolean(),
  cached: count.exactOptional(),
  cacheWritten: count.exactOptional(),
  costMicro: micro.exactOptional(),
});

/** Adds a request to the session's and the run's sums. */
export function countUsage(
  state: SessionState,
  { input, output, cached = 0, cacheWritten = 0, costMicro, estimated }: KeptUsage,
): void {
  const { usage, budget } = state;
  const unpriced = costMicro === undefined ? input + output : 0;
  state.usage = {
    input: usage.input + input,
    output: usage.output + output,
    cached: usage.cached + cached,
    cacheWritten: usage.cacheWritten + cacheWritten,
    estimated: usage.estimated + (estimated ? input + output : 0),
    costMicro: usage.costMicro + (costMicro ?? 0n),
    unpriced: usage.unpriced + unpriced,
  };
  state.budget = {
    ...budget,
    tokens: budget.tokens + input + output,
    costMicro: budget.costMicro + (costMicro ?? 0n),
    unpriced: budget.unpriced + unpriced,
  };
}
