/** Storage deals as commands show them, and what commands of providers take. */
import { resolve } from "node:path";
import type { DealValue } from "#internal/client/mod.ts";
import { quoteOddWord } from "#internal/core/mod.ts";
import type { Reader } from "../command.ts";
import { toggle, value } from "../command.ts";
import { usageError } from "../errors.ts";
import type { Output } from "../output.ts";
import { folder, text } from "../readers.ts";

const UNIT_BYTES: { readonly [unit: string]: number } = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
};

/** A number of bytes, also like `500M` or `2G`. */
export const byteCount: Reader<number> = {
  placeholder: "BYTES",
  read(given, what) {
    const match = /^(\d{1,15})([kMGT]?)B?$/.exec(given);
    const bytes = Number(match?.[1] ?? NaN) * (UNIT_BYTES[match?.[2] ?? ""] as number);
    if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
    throw usageError(
      `${what} ${quoteOddWord(given)} is no size: give bytes, or a size like 500M or 2G`,
    );
  },
};

/** The path of a file that is to be made. */
export const newFile: Reader<string> = {
  placeholder: "FILE",
  read(given, what) {
    if (given !== "" && !/(^|[/\\])\.{0,2}$/.test(given)) return given;
    throw usageError(`${what} ${quoteOddWord(given)} names no file: give the file's new path`);
  },
  offers: "files",
};

/** Where files are kept. */
export const dirFlag = value(folder, "the folder that files are kept in", {
  default: "default $SION_HOME/storage",
});

/** Where a file comes from, if not from the deal's locator. */
export const sourceFlags = {
  from: value(
    text("WHERE"),
    "get the file there: a provider's URL, a URL of the file, or a path",
    { default: "the deal's locator" },
  ),
  allowPrivate: toggle("take what private addresses serve too, this machine's among them"),
};

/** What `--from` names: a path is meant from where the command was given. */
export function sourceOf(from: string, cwd: string): string {
  return /^[a-z]+:\/\//i.test(from) ? from : resolve(cwd, from);
}

/** A deal on one line. */
export function dealLine(deal: DealValue, output: Output): string {
  return `${output.id(deal.deal)} ${termsText(deal)}: ` +
    stateText(deal);
}

/** What a deal asks for and pays. */
export function termsText(deal: DealValue): string {
  const { leaves, rounds, round_length, price, collateral } = deal;
  return `${count(leaves, "leaf", "leaves")}, ${
    count(rounds, "round")
  } of ${round_length} Pulses ` +
    `at ${price} USD each, ${collateral} USD of collateral`;
}

/** How a deal stands. */
export function stateText({ state, accept_by, rounds }: DealValue): string {
  switch (state.phase) {
    case "open":
      return `open until Pulse ${accept_by}`;
    case "active": {
      const { proven, missed, round, round_ends, ends } = state;
      const now = round === null
        ? `until Pulse ${ends}`
        : `round ${round} of ${rounds} until Pulse ${round_ends}`;
      return `active, ${now}, ${proven} proven, ${missed} missed`;
    }
    case "closed": {
      const { at, proven, missed, refund, forfeited } = state;
      return `closed at Pulse ${at}, ${proven} proven, ${missed} missed, ${refund} USD refunded, ` +
        `${forfeited} USD forfeited`;
    }
  }
}

function count(number: number, one: string, several = `${one}s`): string {
  return number === 1 ? `1 ${one}` : `${number} ${several}`;
}
