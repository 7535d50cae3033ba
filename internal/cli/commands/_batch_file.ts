/** Lists of payments as files: a line each, `payee amount`, with a comma or white space between. */
import { parseUsd, quoteOddWord, SionError } from "#internal/core/mod.ts";
import { usageError } from "../errors.ts";
import { givenText } from "../standard_input.ts";

/** Bytes of a list: the most payments that one may have, at 100 bytes each. */
export const MAX_LIST_BYTES = 1_000_000;

/** A line of a list. */
export interface ListLine {
  readonly to: string;
  /** Micro-USD. */
  readonly amount: bigint;
  /** As in `payroll.csv line 7`. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
}

/**
 * The payments of a list. Empty lines and those that begin with # are passed over.
 * @param name what errors call the list.
 * @throws {SionError} `usage` or `amount`, naming the line and what is wrong there
 */
export function parseList(bytes: Uint8Array, name: string): readonly ListLine[] {
  const lines: ListLine[] = [];
  for (
    const [at, text] of givenText(bytes, name, "a list of payees and amounts").split(/\r\n|\n|\r/)
      .entries()
  ) {
    const trimmed = text.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const source = `${name} line ${at + 1}`;
    const [to, amount, ...rest] = trimmed.split(/\s*,\s*|\s+/);
    if (to === undefined || to === "" || amount === undefined || rest.length > 0) {
      const shown = quoteOddWord(trimmed.length > 60 ? `${trimmed.slice(0, 60)}…` : trimmed);
      throw usageError(
        `${source}: ${shown} is no payment: write a payee and an amount, like bob 1.5; ` +
          "nothing was sent",
      );
    }
    lines.push({ to, amount: amountOf(amount, source), source, line: at + 1 });
  }
  if (lines.length === 0) {
    throw usageError(
      `${name} has no payments: write a payee and an amount on a line, like bob 1.5`,
    );
  }
  return lines;
}

function amountOf(text: string, source: string): bigint {
  try {
    return parseUsd(text);
  } catch (cause) {
    if (!(cause instanceof SionError)) throw cause;
    const { code, data } = cause;
    throw new SionError(code, `${source}: ${cause.message}; nothing was sent`, { cause, data });
  }
}
