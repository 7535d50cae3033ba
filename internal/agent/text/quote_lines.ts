/** Lines of a file as a reply quotes them, and the sentence for some that are not in it. */
import { nearestLines } from "./nearest_lines.ts";

/** Lines of a stretch that are quoted at most. */
const MOST_LINES = 20;
/** Longer lines are cut, characters. */
const MAX_LENGTH = 500;

/** Lines with their numbers, as `read_file` shows them. @param start index of the first */
function quoted(lines: readonly string[], start: number, count: number): string {
  const shown = lines.slice(start, start + Math.min(count, MOST_LINES)).map((line, index) => {
    const cut = line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
    return `${start + index + 1}\t${cut}`;
  });
  if (count > MOST_LINES) shown.push(`… (${count - MOST_LINES} more lines)`);
  return shown.join("\n").toWellFormed();
}

/**
 * What to tell of lines that are not in a file: those nearest to them, quoted, and what differs.
 * @param what how the sentence names them: `old_string`, `the change at line 7 of the patch`
 */
export function missSentence(
  path: string,
  lines: readonly string[],
  wanted: readonly string[],
  what: string,
): string {
  const missing = `${what} is not in ${path}`;
  if (wanted.length > 0 && wanted.every((line) => /^\s*\d+\t/.test(line))) {
    return `${missing}: leave out the line numbers, which are no part of the file`;
  }
  const [nearest, ...others] = nearestLines(lines, wanted);
  if (nearest === undefined) {
    return `${missing}, and no lines are near to it: read the file again`;
  }
  const found = lines.slice(nearest.start, nearest.start + nearest.count);
  const stretches = [nearest, ...others]
    .map(({ start, count }) => quoted(lines, start, count)).join("\n…\n");
  return `${missing}: quote the lines as they are${differs(found, wanted)}. Nearest to it:\n` +
    stretches;
}

/** What alone differs, where it is something that eyes pass over. */
function differs(found: readonly string[], wanted: readonly string[]): string {
  const same = (change: (line: string) => string) =>
    found.map(change).join("\n") === wanted.map(change).join("\n");
  const plain = (line: string) =>
    line.replaceAll(/[\u2018\u2019\u201a\u2032]/g, "'").replaceAll(/[\u201c-\u201e\u2033]/g, '"')
      .replaceAll(/[\u2010-\u2015\u2212]/g, "-").replaceAll("\u00a0", " ");
  if (same((line) => line.trimEnd())) return " (only white space at the ends of lines differs)";
  if (same((line) => line.replaceAll(/\s+/g, ""))) return " (only white space differs)";
  if (same(plain)) return " (only the form of quotes, dashes or spaces differs)";
  return "";
}
