/**
 * A trust formula as a drawing: groups and what is in them, one below the other, with lines to what
 * each is part of. It grows downwards, so that it is read on a phone too. The formula as text and the
 * list of atoms say the same.
 */
import type { Formula, Say } from "#internal/ledger/mod.ts";
import { atomText } from "#internal/ledger/mod.ts";
import type { Html } from "./html.ts";
import { markup } from "./html.ts";

/** Pixels of a row, of what stands in it, and of a step to the right. */
const ROW = 38;
const HEIGHT = 28;
const STEP = 22;
/** Pixels of a character of the drawing's font, about, and around a text. */
const CHARACTER = 7.9;
const PADDING = 10;
/** Characters of an atom's words; what is longer is cut, and whole in the list. */
const MAX_CHARACTERS = 30;

/** One box of the drawing. */
interface Box {
  readonly text: string;
  readonly isGate: boolean;
  readonly depth: number;
  readonly row: number;
  /** The row of the group that it is part of. */
  readonly parent: number | undefined;
}

/** The drawing of a formula. @param label what it is a drawing of, for who does not see it */
export function formulaDrawing(formula: Formula, say: Say, label: string): Html {
  const boxes = boxesOf(formula, say);
  const width = Math.ceil(Math.max(...boxes.map((box) => left(box) + widthOf(box))) + 2);
  const height = boxes.length * ROW;
  return markup`<div class="drawing" tabindex="0" role="group" aria-label="Drawing of the formula">
<svg role="img" aria-label="${label}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${boxes.map(wire)}
${boxes.map(drawn)}
</svg></div>`;
}

/** What has to be corrupted of a group, in words. */
export function gateText(needed: number, parts: number): string {
  if (needed === parts) return parts === 2 ? "both of" : `all ${parts} of`;
  return needed === 1 ? `any of ${parts}` : `${needed} of ${parts}`;
}

function boxesOf(formula: Formula, say: Say): readonly Box[] {
  const boxes: Box[] = [];
  const add = (part: Formula, depth: number, parent: number | undefined): void => {
    const row = boxes.length;
    if (part.kind === "atom") {
      boxes.push({ text: cut(atomText(part.atom, say)), isGate: false, depth, row, parent });
      return;
    }
    const text = gateText(part.needed, part.parts.length);
    boxes.push({ text, isGate: true, depth, row, parent });
    for (const inner of part.parts) add(inner, depth + 1, row);
  };
  add(formula, 0, undefined);
  return boxes;
}

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length <= MAX_CHARACTERS
    ? text
    : `${characters.slice(0, MAX_CHARACTERS - 1).join("")}…`;
}

function left({ depth }: Box): number {
  return 1 + depth * STEP;
}

function widthOf({ text }: Box): number {
  return Array.from(text).length * CHARACTER + 2 * PADDING;
}

function wire({ depth, row, parent }: Box): Html | undefined {
  if (parent === undefined) return undefined;
  const x = 1 + (depth - 1) * STEP + STEP / 2;
  const from = parent * ROW + HEIGHT + 1;
  const to = row * ROW + HEIGHT / 2 + 1;
  return markup`<path class="wire" d="M${x} ${from}V${to}H${x + STEP / 2}"/>`;
}

function drawn(box: Box): Html {
  const { text, isGate, row } = box;
  const [x, y] = [left(box), row * ROW + 1];
  return markup`<rect class="${isGate ? "gate" : "atom"}" x="${x}" y="${y}" width="${
    Math.ceil(widthOf(box))
  }" height="${HEIGHT}" rx="${isGate ? HEIGHT / 2 : 4}"/><text class="${
    isGate ? "gate-text" : "atom-text"
  }" x="${x + PADDING}" y="${y + HEIGHT / 2 + 5}">${text}</text>
`;
}
