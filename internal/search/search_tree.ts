/** Searching what the files of a tree hold, line by line. */
import { Buffer } from "node:buffer";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { LinePattern } from "./line_pattern.ts";
import type { PathGlob } from "./path_glob.ts";
import { isSystemError } from "./system_error.ts";
import { treeFiles } from "./tree_files.ts";

const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Larger files are passed over: they are data, or made by programs; bytes. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Most files fit in this, bytes. */
const USUAL_BYTES = 256 * 1024;
/** After so many bytes or files, others get their turn. */
const SLICE_BYTES = 8 * 1024 * 1024;
const SLICE_FILES = 500;
/** A file counts as so many bytes besides its own, for what opening it takes. */
const BYTES_OF_FILE = SLICE_BYTES / SLICE_FILES;

/** Longer lines are cut around their match, characters. */
const MAX_LINE_LENGTH = 400;
/** Characters of a cut line that stand before its match. */
const BEFORE_MATCH = 100;

/** A line that is told. */
export interface FoundLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Whether it matches, or stands around one that does. */
  readonly matches: boolean;
}

/** A file with lines that match. */
export interface FoundFile {
  readonly name: string;
  /** Those that match and those around them, in order. */
  readonly lines: readonly FoundLine[];
  /** How many match. */
  readonly matches: number;
}

/** What a search is asked. */
export interface Search {
  readonly root: string;
  readonly glob: PathGlob;
  readonly pattern: LinePattern;
  /** The search ends after so many matching lines. */
  readonly most: number;
  /** Lines around each match that are told too. */
  readonly around: number;
  readonly signal: AbortSignal;
  /** Only what comes after this file, in the order of the walk. */
  readonly after?: string;
  /** The search stops after so many files, and says where. */
  readonly mostFiles?: number;
  /** Only these files of `of` shares of all: each file is in one. */
  readonly share?: { readonly part: number; readonly of: number };
}

/** What it found. */
export interface Searched {
  readonly files: readonly FoundFile[];
  /** Whether it ended before all files were looked at. */
  readonly cut: boolean;
  /** Files that were looked at. */
  readonly looked: number;
  /** Files that are too large, and files and folders that could not be read. */
  readonly large: number;
  readonly unread: number;
  /** The last file that was looked at, where it stopped for `mostFiles`. */
  readonly last?: string;
}

/** Searches. @throws {Error} the signal's reason, when it is aborted */
export async function searchTree(search: Search): Promise<Searched> {
  const { root, glob, pattern, most, around, signal, share, mostFiles } = search;
  let { after } = search;
  const notes = { unread: 0 };
  const files: FoundFile[] = [];
  const reader = new FileReader();
  let [looked, large, left, slice] = [0, 0, most, 0];
  let last = "";
  const result = (cut: boolean): Searched => ({ files, cut, looked, large, unread: notes.unread });
  for (const file of treeFiles(root, glob, notes)) {
    if (slice > SLICE_BYTES) {
      slice = 0;
      await setImmediate();
      signal.throwIfAborted();
    }
    slice += BYTES_OF_FILE;
    if (file === undefined) continue;
    if (after !== undefined) {
      if (inOrder(file.name, after) <= 0) continue;
      after = undefined;
    }
    if (share !== undefined && shareOf(file.name, share.of) !== share.part) continue;
    if (looked === mostFiles) return { ...result(false), last };
    looked++;
    last = file.name;
    const bytes = reader.read(file.openAs);
    if (typeof bytes === "string") {
      if (bytes === "large") large++;
      else notes.unread++;
      continue;
    }
    slice += bytes.length;
    const found = linesIn(bytes, pattern, { most: left, around });
    if (found === undefined) continue;
    // Looking at each line is far slower than looking for words.
    slice += 10 * bytes.length;
    files.push({ name: file.name, ...found });
    left -= found.matches;
    if (left <= 0) return result(true);
  }
  return result(false);
}

/** Compares two paths as the walk comes to them: a folder's files stand at its name's place. */
export function inOrder(a: string, b: string): number {
  const [one, other] = [a.replaceAll("/", "\0"), b.replaceAll("/", "\0")];
  return one < other ? -1 : one > other ? 1 : 0;
}

function shareOf(name: string, shares: number): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (31 * hash + name.charCodeAt(i)) % 65_521;
  return hash % shares;
}

function linesIn(
  bytes: Buffer,
  pattern: LinePattern,
  { most, around }: Pick<Search, "most" | "around">,
): Pick<FoundFile, "lines" | "matches"> | undefined {
  const { oneOf } = pattern;
  if (oneOf !== undefined && !oneOf.some((word) => bytes.includes(word))) return undefined;
  // As git has it: what holds a zero byte is no text.
  if (bytes.includes(0)) return undefined;
  let text = bytes.toString("utf8");
  if (text.includes("\r\n")) text = text.replaceAll("\r\n", "\n");
  if (!pattern.mayMatch(text)) return undefined;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const found: Omit<FoundLine, "matches">[] = [];
  const matching = new Set<number>();
  let matches = 0;
  let next = 0;
  for (let index = 0; index < lines.length && matches < most; index++) {
    if (!pattern.matches(lines[index] ?? "")) continue;
    matches++;
    matching.add(index + 1);
    for (let at = Math.max(next, index - around); at <= index + around; at++) {
      const line = lines[at];
      if (line === undefined) break;
      next = at + 1;
      found.push({ number: at + 1, text: cutLine(line, pattern) });
    }
  }
  if (matches === 0) return undefined;
  return { lines: found.map((line) => ({ ...line, matches: matching.has(line.number) })), matches };
}

/** A line as it is told: not so long, and not a view into the text of the whole file. */
function cutLine(line: string, pattern: LinePattern): string {
  if (line.length <= MAX_LINE_LENGTH) return Buffer.from(line).toString();
  const start = Math.max(0, pattern.startIn(line) - BEFORE_MATCH);
  const end = start + MAX_LINE_LENGTH;
  const cut = Buffer.from(line.slice(start, end).toWellFormed()).toString();
  return `${start > 0 ? "…" : ""}${cut}${end < line.length ? "…" : ""}`;
}

/** Reads whole files into memory that it uses again: what it gives is good until the next is read. */
class FileReader {
  #memory: Buffer = Buffer.allocUnsafe(USUAL_BYTES);

  read(path: string): Buffer | "large" | "unread" {
    let file: number | undefined;
    try {
      file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
      let length = 0;
      for (;;) {
        const read = readSync(file, this.#memory, length, this.#memory.length - length, null);
        length += read;
        if (length < this.#memory.length) {
          // Less than was asked for is the end of a regular file.
          return this.#memory.subarray(0, length);
        }
        if (length >= MAX_FILE_BYTES) return "large";
        const larger = Buffer.allocUnsafe(Math.min(4 * length, MAX_FILE_BYTES));
        this.#memory.copy(larger, 0, 0, length);
        this.#memory = larger;
      }
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return "unread";
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}
