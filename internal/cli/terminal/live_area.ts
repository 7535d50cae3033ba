/**
 * The bottom of a terminal that redraws: what is being written, the input, a status line. What goes
 * above it is written once, stays, and can be scrolled and copied like any output.
 */
import type { TextSink } from "../text_sink.ts";
import { cellsOf } from "./cells.ts";

/** What the bottom shows: rows that fit the width, and where the cursor stands in them. */
export interface LiveRows {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
/** Begins and ends what a terminal shows at once (synchronised output). */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";

/** Draws on a terminal. One at a time writes to it. */
export class LiveArea {
  readonly #sink: TextSink;
  #shown: LiveRows = { rows: [], cursor: { row: 0, column: 0 } };

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  /** Draws the bottom anew, with what goes above it, each text a line or more, first. */
  draw(live: LiveRows, above: readonly string[] = []): void {
    const same = above.length === 0 && isSame(live, this.#shown);
    if (same) return;
    const lines = [...above.flatMap((text) => text.split("\n")), ...live.rows];
    const { row, column } = live.cursor;
    const up = live.rows.length - 1 - row;
    this.#sink.write(
      BEGIN + HIDE_CURSOR + this.#erasing() + lines.join("\r\n") + moved(up, column) + SHOW_CURSOR +
        END,
    );
    this.#shown = live;
  }

  /**
   * Goes by a new width: a terminal wraps the rows that no longer fit, so the bottom is as many rows
   * higher. What it does beyond that differs between terminals and is drawn over.
   */
  forget(columns: number): void {
    const { rows, cursor } = this.#shown;
    const heights = rows.map((row) => Math.max(1, Math.ceil(cellsOf(row) / columns)));
    const above = heights.slice(0, cursor.row).reduce((sum, height) => sum + height, 0);
    // Behind a row's end it stays with the end, and makes no row of its own.
    const last = (heights[cursor.row] ?? 1) - 1;
    const row = above + Math.min(Math.floor(cursor.column / columns), last);
    this.#shown = { rows, cursor: { row, column: cursor.column } };
    this.clear();
  }

  /** Takes the bottom away; the cursor is where it began. */
  clear(): void {
    if (this.#shown.rows.length === 0) return;
    this.#sink.write(this.#erasing());
    this.#shown = { rows: [], cursor: { row: 0, column: 0 } };
  }

  #erasing(): string {
    if (this.#shown.rows.length === 0) return "";
    const { row } = this.#shown.cursor;
    return `\r${row === 0 ? "" : `\x1b[${row}A`}\x1b[J`;
  }
}

function moved(up: number, column: number): string {
  return `\r${up <= 0 ? "" : `\x1b[${up}A`}${column === 0 ? "" : `\x1b[${column}C`}`;
}

function isSame(one: LiveRows, other: LiveRows): boolean {
  return one.cursor.row === other.cursor.row && one.cursor.column === other.cursor.column &&
    one.rows.length === other.rows.length && one.rows.every((row, i) => row === other.rows[i]);
}
