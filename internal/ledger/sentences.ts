/** How sentences name accounts and objects and write amounts. */
import { formatUsdGrouped, shortId } from "#internal/core/mod.ts";
import { USD } from "./objects/asset.ts";

/** The name of an account or object where one is known to the reader. */
export type Names = (id: string) => string | undefined;

/** What a kind's sentences are made with. */
export interface Say {
  /** The known name of an account, else the first eight digits of its id. */
  account(id: string): string;
  /** The first eight digits of an id. */
  short(id: string): string;
  /** `1,000.5 USD`; of an unnamed asset the first eight digits of its id stand for the symbol. */
  amount(micro: bigint, asset?: string): string;
  /** `a`, `a and b`, `a, b and c`. */
  list(items: readonly string[]): string;
  /** Text that someone chose, in quotation marks, with what could act on a terminal escaped. */
  quote(text: string): string;
}

/** No name is known. */
export const NO_NAMES: Names = (): undefined => undefined;

/** The words of a reader who knows these names. */
export function sayWith(names: Names): Say {
  return {
    account: (id) => names(id) ?? shortId(id),
    short: shortId,
    amount: (micro, asset = USD) =>
      `${formatUsdGrouped(micro)} ${asset === USD ? "USD" : names(asset) ?? shortId(asset)}`,
    list: joined,
    quote,
  };
}

function joined(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** Controls, formats (bidirectional marks too), surrogates, unassigned, line and paragraph ends. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}"\\]/gu;

function quote(text: string): string {
  const escaped = text.replace(UNPRINTABLE, (character) => {
    if (character === '"' || character === "\\") return `\\${character}`;
    return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
  });
  return `"${escaped}"`;
}
