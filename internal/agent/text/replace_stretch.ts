/** Replacing a quoted stretch of a text; everything else of it stays as it is, line endings included. */
import { lineEnding, withPlainEndings } from "./text_file.ts";

/** What came of it. */
export type Replaced =
  | {
    readonly found: "replaced";
    readonly text: string;
    /** How often. */
    readonly places: number;
    /** Lines that were changed, added or removed, all places together. */
    readonly lines: number;
  }
  /** It is there more than once: on these lines, from 1. */
  | { readonly found: "several"; readonly onLines: readonly number[] }
  | { readonly found: "nowhere" };

/**
 * Replaces a stretch that is there exactly once, or every time. Line endings are not told apart, and
 * a new line ends as those around it do.
 */
export function replaceStretch(
  text: string,
  old: string,
  replacement: string,
  everyTime: boolean,
): Replaced {
  const plain = withPlainEndings(text);
  const wanted = withPlainEndings(old);
  const starts = startsOf(plain, wanted, everyTime ? wanted.length : 1);
  if (starts.length === 0) return { found: "nowhere" };
  if (starts.length > 1 && !everyTime) {
    return { found: "several", onLines: lineNumbers(plain, starts) };
  }
  const { before, after, middle } = difference(wanted, withPlainEndings(replacement));
  const original = originalPositions(text);
  const usual = lineEnding(text);
  let result = "";
  let done = 0;
  for (const start of starts) {
    const from = original(start + before);
    const to = original(start + wanted.length - after);
    const around = text.slice(original(start), original(start + wanted.length));
    const ending = around.includes("\n") ? lineEnding(around) : usual;
    result += text.slice(done, from) + middle.replaceAll("\n", ending);
    done = to;
  }
  return {
    found: "replaced",
    text: result + text.slice(done),
    places: starts.length,
    lines: changedLines(wanted, withPlainEndings(replacement)) * starts.length,
  };
}

function startsOf(text: string, wanted: string, step: number): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) {
    starts.push(at);
  }
  return starts;
}

/** What of two texts differs: how much is the same before and after, and the new middle. */
function difference(old: string, replacement: string): {
  readonly before: number;
  readonly after: number;
  readonly middle: string;
} {
  const shorter = Math.min(old.length, replacement.length);
  let before = 0;
  while (before < shorter && old[before] === replacement[before]) before++;
  let after = 0;
  while (after < shorter - before && old.at(-1 - after) === replacement.at(-1 - after)) after++;
  return { before, after, middle: replacement.slice(before, replacement.length - after) };
}

/** Where a position of the text with plain line endings is in the text itself. */
function originalPositions(text: string): (position: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) {
    ends.push(at - ends.length);
  }
  return (position) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? Infinity) < position) low = middle + 1;
      else high = middle;
    }
    return position + low;
  };
}

function lineNumbers(text: string, starts: readonly number[]): number[] {
  const numbers: number[] = [];
  let line = 1;
  let at = 0;
  for (const start of starts) {
    for (
      let end = text.indexOf("\n", at);
      end !== -1 && end < start;
      end = text.indexOf("\n", at)
    ) {
      line++;
      at = end + 1;
    }
    numbers.push(line);
  }
  return numbers;
}

/** Lines that differ between a stretch and what stands there instead. */
function changedLines(old: string, replacement: string): number {
  const before = old.split("\n");
  const after = replacement.split("\n");
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same++;
  let end = 0;
  while (end < shorter - same && before.at(-1 - end) === after.at(-1 - end)) end++;
  return Math.max(1, before.length - same - end, after.length - same - end);
}
