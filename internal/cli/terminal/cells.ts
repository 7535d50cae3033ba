/** How wide text is on a terminal, and where it wraps. */
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

/** Rows of a text and where in them a place of it is. */
export interface Wrapped {
  readonly rows: readonly string[];
  readonly row: number;
  /** Cells from the left. */
  readonly column: number;
}

/**
 * Wraps a text of several lines to a width, hard, as an editor does, so that nothing typed moves.
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
    const wide = one === "\n" ? 0 : cellsOfGrapheme(one);
    if (one !== "\n" && cells + wide > most) {
      rows.push(row);
      row = "";
      cells = 0;
    }
    if (index === at) place = { row: rows.length, column: indent + cells };
    index += one.length;
    if (one === "\n" || one === "\r\n") {
      rows.push(row);
      row = "";
      cells = 0;
    } else {
      row += one;
      cells += wide;
    }
  }
  if (index === at) place = { row: rows.length, column: indent + cells };
  rows.push(row);
  return { rows, ...place };
}
