/**
 * What is known of the vendors' models: how much they read and write, and what that costs.
 *
 * Source: models.dev (MIT), https://github.com/anomalyco/models.dev, commit f3fc692 of 2026-07-02, and
 * for the models that came after it the newest files of that repository as of 2026-10-03. Prices are
 * the vendors' list prices for standard requests. A model that is not here works all the same: its
 * context is taken for `DEFAULT_CONTEXT`, and its cost for unknown.
 */
import { parseUsd } from "#internal/core/mod.ts";

/** USD a million tokens, as micro-USD. */
export interface Price {
  readonly input: bigint;
  readonly output: bigint;
  /** Input that the provider's cache had. */
  readonly cached: bigint;
  /** Input that was put into the provider's cache. */
  readonly cacheWritten: bigint;
}

/** One model. */
export interface KnownModel {
  /** Tokens of a conversation that it reads. */
  readonly context: number;
  /** Tokens that it writes at most. */
  readonly output: number;
  readonly price: Price;
  /** The price of a whole request whose input has more tokens than `from`. */
  readonly above?: { readonly from: number; readonly price: Price };
  /** How it is told to think, where it can be: by a level, or by a number of tokens. */
  readonly thinking?: "effort" | "budget";
}

/** Tokens of a conversation that a model reads of which nothing is known. */
export const DEFAULT_CONTEXT = 128_000;

/** Name, context, output, price (input, output, cached, written), thinking, price above a size. */
type Row = readonly [
  name: string,
  context: number,
  output: number,
  price: string,
  thinking?: "effort" | "budget" | "",
  from?: number,
  above?: string,
];

const ANTHROPIC: readonly Row[] = [
  ["claude-3-5-haiku", 200_000, 8_192, "0.8 4 0.08 1"],
  ["claude-3-5-sonnet", 200_000, 8_192, "3 15 0.3 3.75"],
  ["claude-3-7-sonnet", 200_000, 64_000, "3 15 0.3 3.75", "budget"],
  ["claude-3-haiku", 200_000, 4_096, "0.25 1.25 0.03 0.3"],
  ["claude-3-opus", 200_000, 4_096, "15 75 1.5 18.75"],
  ["claude-fable-5", 1_000_000, 128_000, "10 50 1 12.5", "effort"],
  ["claude-haiku-4-5", 200_000, 64_000, "1 5 0.1 1.25", "budget"],
  ["claude-opus-4", 200_000, 32_000, "15 75 1.5 18.75", "budget"],
  ["claude-opus-4-0", 200_000, 32_000, "15 75 1.5 18.75", "budget"],
  ["claude-opus-4-1", 200_000, 32_000, "15 75 1.5 18.75", "budget"],
  ["claude-opus-4-5", 200_000, 64_000, "5 25 0.5 6.25", "effort"],
  ["claude-opus-4-6", 1_000_000, 128_000, "5 25 0.5 6.25", "effort"],
  ["claude-opus-4-7", 1_000_000, 128_000, "5 25 0.5 6.25", "effort"],
  ["claude-opus-4-8", 1_000_000, 128_000, "5 25 0.5 6.25", "effort"],
  ["claude-opus-5", 1_000_000, 128_000, "5 25 0.5 6.25", "effort"],
  // The source does not say how much these two read: no less than those before them.
  ["claude-opus-5-5", 1_000_000, 128_000, "4 20 0.2 5", "effort"],
  ["claude-sonnet-5-5", 1_000_000, 128_000, "2 10 0.1 2.5", "effort"],
  ["claude-sonnet-4", 200_000, 64_000, "3 15 0.3 3.75", "budget"],
  ["claude-sonnet-4-0", 200_000, 64_000, "3 15 0.3 3.75", "budget"],
  ["claude-sonnet-4-5", 200_000, 64_000, "3 15 0.3 3.75", "budget"],
  ["claude-sonnet-4-6", 1_000_000, 64_000, "3 15 0.3 3.75", "effort"],
  ["claude-sonnet-5", 1_000_000, 128_000, "2 10 0.2 2.5", "effort"],
];

/** A version of a model: `-20250929`, `-2025-08-07`, `-latest`. */
const VERSION = /-(20\d{6}|20\d\d-\d\d-\d\d|latest)$/;

/** What is known of one of Anthropic's models, whatever version of it is named. */
export function knownAnthropic(model: string): KnownModel | undefined {
  return find(ANTHROPIC, model);
}

function find(rows: readonly Row[], model: string): KnownModel | undefined {
  const name = model.replace(VERSION, "");
  const row = rows.find(([known]) => known === name);
  if (row === undefined) return undefined;
  const [, context, output, price, thinking = "", from, above] = row;
  return {
    context,
    output,
    price: readPrice(price),
    ...(thinking === "" ? {} : { thinking }),
    ...(from === undefined || above === undefined
      ? {}
      : { above: { from, price: readPrice(above) } }),
  };
}

/**
 * Four amounts of USD a million tokens: input, output, cached, written to the cache.
 * @throws {SionError} `amount`
 */
export function readPrice(text: string): Price {
  const [input = 0n, output = 0n, cached = input, cacheWritten = input] = text.split(" ")
    .map((usd) => parseUsd(usd, { allowZero: true }));
  return { input, output, cached, cacheWritten };
}
