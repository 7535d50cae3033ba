/** What a request costs: token counts times list prices, in whole micro-USD, rounded up. */
import type { KnownModel } from "./_known_models.ts";
import type { ModelUsage } from "./_model.ts";

const MILLION = 1_000_000n;

/** Micro-USD, rounded up. */
export function costOf(
  { price, above }: Pick<KnownModel, "price" | "above">,
  { input, output, cached = 0, cacheWritten = 0 }: ModelUsage,
): bigint {
  const fresh = Math.max(0, input - cached - cacheWritten);
  const rates = above !== undefined && input > above.from ? above.price : price;
  const total = BigInt(fresh) * rates.input + BigInt(cached) * rates.cached +
    BigInt(cacheWritten) * rates.cacheWritten + BigInt(output) * rates.output;
  return (total + MILLION - 1n) / MILLION;
}

/** How many tokens an answer may have for the request to cost so much at most. */
export function mostOutputFor(
  { price, above }: Pick<KnownModel, "price" | "above">,
  input: number,
  mostMicro: bigint,
): number {
  const facts = above === undefined ? { price } : { price, above };
  const left = mostMicro - mostCostOf(facts, { input, output: 0 });
  const { output } = above !== undefined && input > above.from ? above.price : price;
  return left <= 0n || output === 0n ? 0 : Number((left * MILLION) / output);
}

/** The most that a request of so many tokens can cost, whatever of it a cache has: micro-USD. */
export function mostCostOf(
  { price, above }: Pick<KnownModel, "price" | "above">,
  { input, output }: Pick<ModelUsage, "input" | "output">,
): bigint {
  const { cached, cacheWritten, ...rates } = above !== undefined && input > above.from
    ? above.price
    : price;
  const dearest = [rates.input, cached, cacheWritten].reduce((a, b) => a > b ? a : b);
  const total = BigInt(input) * dearest + BigInt(output) * rates.output;
  return (total + MILLION - 1n) / MILLION;
}
