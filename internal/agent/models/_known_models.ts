/**
 * What is known of the vendors' models: how much they read and write, and what that costs.
 *
 * Source: models.dev (MIT), https://github.com/anomalyco/models.dev, commit f3fc692 of 2026-07-02, and
 * for the models that came after it the newest files of that repository as of 2026-10-03. Prices are
 * the vendors' list prices for standard requests. A model that is not here works all the same: its
 * context is taken for `DEFAULT_CONTEXT`, and its cost for unknown.
 */
import { parseUsd } from "#internal/core/mod.ts";
import { MOST_BUDGET_MICRO } from "#internal/store/mod.ts";

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

const OPENAI: readonly Row[] = [
  ["gpt-3.5-turbo", 16_385, 4_096, "0.5 1.5 0.5 0.5"],
  ["gpt-4", 8_192, 8_192, "30 60 30 30"],
  ["gpt-4-turbo", 128_000, 4_096, "10 30 10 10"],
  ["gpt-4.1", 1_047_576, 32_768, "2 8 0.5 2"],
  ["gpt-4.1-mini", 1_047_576, 32_768, "0.4 1.6 0.1 0.4"],
  ["gpt-4.1-nano", 1_047_576, 32_768, "0.1 0.4 0.025 0.1"],
  ["gpt-4o", 128_000, 16_384, "2.5 10 1.25 2.5"],
  ["gpt-4o-mini", 128_000, 16_384, "0.15 0.6 0.075 0.15"],
  ["gpt-5", 272_000, 128_000, "1.25 10 0.125 1.25", "effort"],
  ["gpt-5-chat", 272_000, 128_000, "1.25 10 0.125 1.25"],
  ["gpt-5-codex", 272_000, 128_000, "1.25 10 0.125 1.25", "effort"],
  ["gpt-5-mini", 272_000, 128_000, "0.25 2 0.025 0.25", "effort"],
  ["gpt-5-nano", 272_000, 128_000, "0.05 0.4 0.005 0.05", "effort"],
  ["gpt-5-pro", 272_000, 272_000, "15 120 15 15", "effort"],
  ["gpt-5.1", 272_000, 128_000, "1.25 10 0.125 1.25", "effort"],
  ["gpt-5.1-chat", 128_000, 16_384, "1.25 10 0.125 1.25", "effort"],
  ["gpt-5.1-codex", 272_000, 128_000, "1.25 10 0.125 1.25", "effort"],
  ["gpt-5.1-codex-max", 272_000, 128_000, "1.25 10 0.125 1.25", "effort"],
  ["gpt-5.1-codex-mini", 272_000, 128_000, "0.25 2 0.025 0.25", "effort"],
  ["gpt-5.2", 272_000, 128_000, "1.75 14 0.175 1.75", "effort"],
  ["gpt-5.2-chat", 128_000, 16_384, "1.75 14 0.175 1.75", "effort"],
  ["gpt-5.2-codex", 272_000, 128_000, "1.75 14 0.175 1.75", "effort"],
  ["gpt-5.2-pro", 272_000, 128_000, "21 168 21 21", "effort"],
  ["gpt-5.3-chat", 128_000, 16_384, "1.75 14 0.175 1.75"],
  ["gpt-5.3-codex", 272_000, 128_000, "1.75 14 0.175 1.75", "effort"],
  ["gpt-5.4", 922_000, 128_000, "2.5 15 0.25 2.5", "effort", 272_000, "5 22.5 0.5 5"],
  ["gpt-5.4-mini", 272_000, 128_000, "0.75 4.5 0.075 0.75", "effort"],
  ["gpt-5.4-nano", 272_000, 128_000, "0.2 1.25 0.02 0.2", "effort"],
  ["gpt-5.4-pro", 922_000, 128_000, "30 180 30 30", "effort", 272_000, "60 270 60 60"],
  ["gpt-5.5", 922_000, 128_000, "5 30 0.5 5", "effort", 272_000, "10 45 1 10"],
  ["gpt-5.5-pro", 922_000, 128_000, "30 180 30 30", "effort", 272_000, "60 270 60 60"],
  ["gpt-5.6-luna", 922_000, 128_000, "1 6 0.1 1", "effort"],
  ["gpt-5.6-sol", 922_000, 128_000, "2 10 0.2 2.5", "effort", 272_000, "4 15 0.4 5"],
  ["gpt-5.6-terra", 922_000, 128_000, "2.5 15 0.25 2.5", "effort"],
  ["gpt-6-astra", 922_000, 128_000, "10 50 1 12.5", "effort", 272_000, "20 75 2 25"],
  ["o1", 200_000, 100_000, "15 60 7.5 15", "effort"],
  ["o1-pro", 200_000, 100_000, "150 600 150 150", "effort"],
  ["o3", 200_000, 100_000, "2 8 0.5 2", "effort"],
  ["o3-mini", 200_000, 100_000, "1.1 4.4 0.55 1.1", "effort"],
  ["o3-pro", 200_000, 100_000, "20 80 20 20", "effort"],
  ["o4-mini", 200_000, 100_000, "1.1 4.4 0.275 1.1", "effort"],
];

/** A version of a model: `-20250929`, `-2025-08-07`, `-latest`. */
const VERSION = /-(20\d{6}|20\d\d-\d\d-\d\d|latest)$/;

/** What is known of one of Anthropic's models, whatever version of it is named. */
export function knownAnthropic(model: string): KnownModel | undefined {
  return find(ANTHROPIC, model);
}

/** What is known of one of OpenAI's models, whatever version of it is named. */
export function knownOpenai(model: string): KnownModel | undefined {
  return find(OPENAI, model);
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
    .map((usd) => parseUsd(usd, { allowZero: true, most: MOST_BUDGET_MICRO }));
  return { input, output, cached, cacheWritten };
}
