/** How wide text is on a terminal, and where it wraps. */
import { escapeLine } from "#internal/core/mod.ts";
import { eastAsianWidth } from "get-east-asian-width";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Marks that take no cell, and what joins pictures. */
const NO_WIDTH = /^[\p{Mark}\p{Cf}]+$/u;
const PICTURE = /\p{Extended_Pictographic}/u;
/** Sequences that colour; they take no cell. */
// deno-lint-ignore no-control-regex -- that is what they begin with
const STYLE = /\x1b\[[0-9;]*m/g;

/** What a person takes for one character each. */
export function graphemes(text: string): string[] {
  // ASCII is most of what there is, and needs no segmenting.
  if (/^[\x20-\x7e]*$/.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cells of one grapheme: 0, 1 or 2. */
function cellsOfGrapheme(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x7f) return code < 0x20 ? 0 : 1;
  if (NO_WIDTH.test(grapheme)) return 0;
  if (PICTURE.test(grapheme) && grapheme.includes("\ufe0f")) return 2;
  return eastAsianWidth(code);
}

/** Cells of a text in one line; colours take none. */
export function cellsOf(text: string): number {
  return graphemes(text.replaceAll(STYLE, "")).reduce((sum, one) => sum + cellsOfGrapheme(one), 0);
}

/** A text of one line, cut so that it fits into so many cells, `…` at its end if it was. */
export function fitted(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let out = "";
  let left = cells - 1;
  for (const one of graphemes(text)) {
    left -= cellsOfGrapheme(one);
    if (left < 0) break;
    out += one;
  }
  return `${out}…`;
}

/** A line with spaces for its tabs, as a terminal shows them. */
export function withoutTabs(line: string): string {
  const [first = "", ...rest] = line.split("\t");
  return rest.reduce(
    (out, part) => out + " ".repeat(TAB_STOP - cellsOf(out) % TAB_STOP) + part,
    first,
  );
}

const TAB_STOP = 8;

/** What begins an item of a list, and is as wide as what follows is indented. */
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
/** The first of two columns. */
const FIRST_COLUMN = /^\s*\S.*?\s{2,}(?=\S)/;
/** How far what goes on is indented where a column is too wide to stay below. */
const INDENT = 4;

/**
 * Wraps a line between words; one that is wider than a row is left whole, for the terminal to wrap,
 * so that an address can be copied. What goes on stands below where the line's text began.
 * @param columns whether a gap of two spaces or more begins a column
 */
export function wrapWords(line: string, width: number, columns = false): string[] {
  if (cellsOf(line) <= width) return [line];
  const plain = line.replaceAll(STYLE, "");
  const begun = ITEM.exec(plain)?.[0] ?? (columns ? FIRST_COLUMN.exec(plain)?.[0] : undefined) ??
    /^\s*/.exec(plain)?.[0] ?? "";
  const hang = cellsOf(begun) * 2 <= width ? cellsOf(begun) : INDENT;
  const rows: string[] = [];
  let row = "";
  let cells = 0;
  for (const [, gap = "", word = ""] of line.matchAll(/(\s*)(\S+)/g)) {
    const wide = cellsOf(word);
    if (row !== "" && cells + gap.length + wide > width) {
      rows.push(row);
      row = " ".repeat(hang) + word;
      cells = hang + wide;
    } else {
      row += gap + word;
      cells += gap.length + wide;
    }
    if (cells > width) cells = (cells - 1) % width + 1;
  }
  return row === "" ? rows : [...rows, row];
}

/** Wraps parts between them, with a gap; a part that is wider than a row is cut into rows. */
export function wrapParts(parts: readonly string[], width: number, gap: string): string[] {
  const rows: string[] = [];
  for (const part of parts) {
    const last = rows.at(-1);
    if (last !== undefined && cellsOf(last) + gap.length + cellsOf(part) <= width) {
      rows[rows.length - 1] = last + gap + part;
    } else rows.push(...wrap(part, width + 1, -1).rows);
  }
  return rows;
}

/** Rows of a text and where in them a place of it is. */
export interface Wrapped {
  readonly rows: readonly string[];
  readonly row: number;
  /** Cells from the left. */
  readonly column: number;
}

/**
 * Wraps a text of several lines to a width, hard, as an editor does, so that nothing typed moves.
 * Control characters, which may have been pasted, are shown and not obeyed.
 * @param at index into `text` whose place is told
 * @param indent cells that every row has before it
 */
export function wrap(text: string, width: number, at: number, indent = 0): Wrapped {
  const rows: string[] = [];
  const most = Math.max(1, width - indent - 1);
  let row = "";
  let cells = 0;
  let index = 0;
  let place = { row: 0, column: indent };
  for (const one of graphemes(text)) {
    const isEnd = one === "\n" || one === "\r\n";
    const shown = isEnd ? "" : shownGrapheme(one);
    const wide = shown === one ? cellsOfGrapheme(one) : shown.length;
    if (!isEnd && cells + wide > most) {
      rows.push(row);
      row = "";
      cells = 0;
    }
    if (index === at) place = { row: rows.length, column: indent + cells };
    index += one.length;
    if (isEnd) {
      rows.push(row);
      row = "";
      cells = 0;
    } else {
      row += shown;
      cells += wide;
    }
  }
  if (index === at) place = { row: rows.length, column: indent + cells };
  rows.push(row);
  return { rows, ...place };
}

const TAB = "    ";

function shownGrapheme(one: string): string {
  return one === "\t" ? TAB : escapeLine(one);
}
