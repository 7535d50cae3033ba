/**
 * Making a patch's changes to one text. A change is found by its lines: exactly, else without regard
 * to line endings, else without regard to white space at the ends of lines. What stays comes from the
 * text itself; only what is added comes from the patch.
 */
import { lineEnding } from "../text/text_file.ts";
import type { Hunk, PatchLine } from "./file_patch.ts";

/** A line of the text and how it ends; the last may not end. */
interface Line {
  readonly text: string;
  readonly ending: "" | "\n" | "\r\n";
}

/** Why a change cannot be made. */
export type Misfit =
  /** Its lines are nowhere. */
  | { readonly why: "nowhere"; readonly hunk: Hunk; readonly wanted: readonly string[] }
  /** Its lines are there more than once: on these lines, from 1. */
  | { readonly why: "several"; readonly hunk: Hunk; readonly onLines: readonly number[] }
  /** It only adds lines, and nothing says where. */
  | { readonly why: "no-place"; readonly hunk: Hunk };

/** What came of a text. */
export type Applied =
  | { readonly text: string; readonly added: number; readonly removed: number }
  | { readonly misfits: readonly Misfit[] };

/** A change and where it is made. */
interface Placed {
  readonly hunk: Hunk;
  readonly start: number;
  /** Lines that it takes up. */
  readonly count: number;
  /** Whether the lines matched with their endings. */
  readonly exact: boolean;
}

/** Makes all of the changes or tells what does not fit. */
export function applyHunks(text: string, hunks: readonly Hunk[]): Applied {
  const lines = splitLines(text);
  const placed: Placed[] = [];
  const misfits: Misfit[] = [];
  let cursor = 0;
  let drift = 0;
  for (const hunk of hunks) {
    const found = place(lines, hunk, { cursor, drift, placed });
    if ("why" in found) {
      misfits.push(found);
      continue;
    }
    placed.push(found);
    cursor = found.start + found.count;
    if (hunk.oldStart !== undefined && found.count > 0) {
      drift = found.start - (hunk.oldStart - 1);
    }
  }
  if (misfits.length > 0) return { misfits };
  return joined(lines, placed.sort((a, b) => a.start - b.start), lineEnding(text));
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at);
    if (newline === -1) {
      lines.push({ text: text.slice(at), ending: "" });
      break;
    }
    const crlf = newline > at && text[newline - 1] === "\r";
    lines.push({
      text: text.slice(at, crlf ? newline - 1 : newline),
      ending: crlf ? "\r\n" : "\n",
    });
    at = newline + 1;
  }
  return lines;
}

/** How a line of the text is compared with one of the patch; from the strictest on. */
const COMPARISONS: readonly ((line: Line, wanted: string) => boolean)[] = [
  ({ text, ending }, wanted) => (ending === "\r\n" ? `${text}\r` : text) === wanted,
  ({ text }, wanted) => text === plain(wanted),
  ({ text }, wanted) => text.trimEnd() === wanted.trimEnd(),
];

function plain(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

interface SoFar {
  /** Where the change before ended. */
  readonly cursor: number;
  /** How far from its given line the change before was. */
  readonly drift: number;
  readonly placed: readonly Placed[];
}

function place(lines: readonly Line[], hunk: Hunk, soFar: SoFar): Placed | Misfit {
  const wanted = hunk.lines.filter(({ kind }) => kind !== "added").map(({ text }) => text);
  const after = anchored(lines, hunk.anchors, soFar.cursor);
  if (after === undefined) return { why: "nowhere", hunk, wanted: hunk.anchors };
  if (wanted.length === 0) return placeInsertion(lines, hunk, after);
  const free = (start: number) =>
    soFar.placed.every((other) =>
      start + wanted.length <= other.start || other.start + other.count <= start
    );
  for (const [level, compare] of COMPARISONS.entries()) {
    const starts = startsOf(lines, wanted, compare).filter(free)
      .filter((start) => !hunk.atEnd || start + wanted.length === lines.length);
    const later = starts.filter((start) => start >= after);
    // Changes stand in the order of the file, but for who wrote them otherwise.
    const candidates = later.length > 0 || hunk.anchors.length > 0 ? later : starts;
    if (candidates.length === 0) continue;
    const start = chosen(candidates, hunk, soFar.drift);
    if (start === undefined) {
      return { why: "several", hunk, onLines: candidates.map((each) => each + 1) };
    }
    return { hunk, start, count: wanted.length, exact: level === 0 };
  }
  return { why: "nowhere", hunk, wanted: wanted.map(plain) };
}

/** The one place of several that is meant. */
function chosen(starts: readonly number[], hunk: Hunk, drift: number): number | undefined {
  const [first] = starts;
  // What stands after an anchor is the first after it.
  if (starts.length === 1 || hunk.anchors.length > 0) return first;
  if (hunk.oldStart === undefined) return undefined;
  const given = hunk.oldStart - 1;
  return starts.find((start) => start === given + drift) ?? starts.find((start) => start === given);
}

function startsOf(
  lines: readonly Line[],
  wanted: readonly string[],
  compare: (line: Line, wanted: string) => boolean,
): number[] {
  const starts: number[] = [];
  for (let start = 0; start + wanted.length <= lines.length; start++) {
    let same = 0;
    for (; same < wanted.length; same++) {
      const line = lines[start + same];
      if (line === undefined || !compare(line, wanted[same] ?? "")) break;
    }
    if (same === wanted.length) starts.push(start);
  }
  return starts;
}

/** Where the lines after the anchors begin, the last anchor's own line included. */
function anchored(
  lines: readonly Line[],
  anchors: readonly string[],
  from: number,
): number | undefined {
  let at = from;
  for (const [index, anchor] of anchors.entries()) {
    const wanted = anchor.trim();
    const find = (start: number) => {
      const whole = lines.findIndex((line, i) => i >= start && line.text.trim() === wanted);
      if (whole !== -1) return whole;
      return lines.findIndex((line, i) => i >= start && line.text.trim().startsWith(wanted));
    };
    let found = find(at);
    // A first anchor may stand before the change before, as a heading does.
    if (found === -1 && index === 0) found = find(0);
    if (found === -1) return undefined;
    at = index === anchors.length - 1 ? Math.max(found, from) : found + 1;
  }
  return at;
}

function placeInsertion(lines: readonly Line[], hunk: Hunk, after: number): Placed | Misfit {
  const at = (start: number): Placed => ({ hunk, start, count: 0, exact: true });
  if (hunk.anchors.length > 0) return at(Math.min(after + 1, lines.length));
  if (hunk.atEnd || lines.length === 0) return at(lines.length);
  if (hunk.oldStart !== undefined && hunk.oldStart <= lines.length) return at(hunk.oldStart);
  return { why: "no-place", hunk };
}

/** The text with every change made, which are in order. */
function joined(lines: readonly Line[], placed: readonly Placed[], usual: "\n" | "\r\n"): Applied {
  const result: Line[] = [];
  let added = 0;
  let removed = 0;
  let done = 0;
  let ends = lines.at(-1)?.ending !== "";
  for (const { hunk, start, count, exact } of placed) {
    result.push(...lines.slice(done, start));
    const here = lines.slice(start, start + count);
    const ending = endingOf(here, usual);
    const verbatim = exact && hunk.lines.some(({ text }) => text.endsWith("\r"));
    let at = start;
    for (const line of hunk.lines) {
      if (line.kind === "added") {
        result.push(addedLine(line, verbatim ? undefined : ending));
        added++;
        continue;
      }
      const own = lines[at++];
      if (line.kind === "removed") removed++;
      else if (own !== undefined) result.push(own);
    }
    done = start + count;
    if (done >= lines.length) ends = endsAfter(hunk, ends);
  }
  result.push(...lines.slice(done));
  const last = result.length - 1;
  const text = result.map((line, index) => {
    if (index < last) return line.text + (line.ending === "" ? usual : line.ending);
    return line.text + (ends ? line.ending === "" ? usual : line.ending : "");
  }).join("");
  return { text, added, removed };
}

/** Whether the text ends in a newline after a change that reaches its end. */
function endsAfter(hunk: Hunk, ended: boolean): boolean {
  const last = hunk.lines.findLast(({ kind }) => kind !== "removed");
  if (last?.unended === true) return false;
  // A patch that says nothing of newlines leaves the end as it is.
  return hunk.lines.some(({ unended }) => unended === true) || ended;
}

function endingOf(lines: readonly Line[], usual: "\n" | "\r\n"): "\n" | "\r\n" {
  const crlf = lines.filter(({ ending }) => ending === "\r\n").length;
  const lf = lines.filter(({ ending }) => ending === "\n").length;
  return crlf === lf ? usual : crlf > lf ? "\r\n" : "\n";
}

/** @param ending how it is to end; as the patch has it when missing */
function addedLine({ text }: PatchLine, ending: "\n" | "\r\n" | undefined): Line {
  if (ending !== undefined) return { text: plain(text), ending };
  return text.endsWith("\r") ? { text: plain(text), ending: "\r\n" } : { text, ending: "\n" };
}
