/** A change of a text as people read it: lines that go and lines that come. */

/** A changed line with its number before or after, from 1. */
export interface ChangedLine {
  readonly sign: "-" | "+";
  readonly text: string;
}

/** The lines between what both texts begin and end with, and the number of the first. */
export function changedLines(
  before: string,
  after: string,
): { readonly at: number; readonly lines: readonly ChangedLine[] } {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (
    end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]
  ) end++;
  const marked = (sign: "-" | "+", lines: readonly string[]): ChangedLine[] =>
    lines.slice(start, lines.length - end).map((text) => ({ sign, text }));
  return { at: start + 1, lines: [...marked("-", a), ...marked("+", b)] };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
