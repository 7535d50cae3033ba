/**
 * Unified diffs, as `diff -u` and git write them, and as models do: line numbers and counts may be
 * wrong or missing, and an empty line of the file may have lost the space before it.
 */
import type { FilePatch, Hunk, Patch, PatchLine } from "./file_patch.ts";
import { PatchError } from "./file_patch.ts";
import { readName, readPair, readQuoted, sameBelow } from "./quoted_name.ts";

/** What stands for a file that is not there. */
const NOTHING = "/dev/null";
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** What the lines before a file's first change said of it. */
interface Head {
  at: number;
  pair?: readonly [string, string] | undefined;
  old?: string;
  next?: string;
  from?: string;
  to?: string;
  copied?: boolean;
  made?: boolean;
  gone?: boolean;
  executable?: boolean;
  readonly hunks: Hunk[];
}

/** Reads the lines of a unified diff; what stands around it, as the head of a mail, is passed over. */
export function readUnified(lines: readonly string[]): Patch {
  const heads: Head[] = [];
  let head: Head | undefined;
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    if (line.startsWith("diff --git ")) {
      head = { at: at + 1, pair: readPair(line.slice("diff --git ".length)), hunks: [] };
      heads.push(head);
      at++;
    } else if (isFileHead(lines, at)) {
      if (head === undefined || head.old !== undefined || head.hunks.length > 0) {
        head = { at: at + 1, hunks: [] };
        heads.push(head);
      }
      head.old = readName(line.slice("--- ".length));
      head.next = readName((lines[at + 1] ?? "").slice("+++ ".length));
      at += 2;
    } else if (line.startsWith("@@@")) {
      throw new PatchError(
        "the patch is of a merge, against several files at once: give a plain one",
      );
    } else if (line.startsWith("@@")) {
      if (head === undefined) {
        throw new PatchError(
          `line ${at + 1} of the patch changes no file: put --- and +++ lines before`,
        );
      }
      const read = readHunk(lines, at);
      head.hunks.push(read.hunk);
      at = read.end;
    } else {
      if (head !== undefined) readHeadLine(head, line);
      at++;
    }
  }
  return { files: heads.map(fileOf), ofOriginals: true };
}

function isFileHead(lines: readonly string[], at: number): boolean {
  return (lines[at] ?? "").startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ");
}

function readHeadLine(head: Head, line: string): void {
  const [, key, value = ""] =
    /^(rename from|rename to|copy from|copy to|new file mode|deleted file mode|new mode|GIT binary patch|Binary files)(?: (.*))?$/
      .exec(line) ?? [];
  const name = () => readQuoted(value)?.name ?? value;
  switch (key) {
    case "rename from":
    case "copy from":
      head.from = name();
      head.copied = key === "copy from";
      break;
    case "rename to":
    case "copy to":
      head.to = name();
      break;
    case "new file mode":
      head.made = true;
      head.executable = executableOf(value);
      break;
    case "deleted file mode":
      head.gone = true;
      executableOf(value);
      break;
    case "new mode":
      head.executable = executableOf(value);
      break;
    case "GIT binary patch":
    case "Binary files":
      throw new PatchError(
        `the patch changes a file that is no text (line ${head.at}): leave it out, and use a command`,
      );
    default:
  }
}

/** Whether a mode of git's may be run. */
function executableOf(mode: string): boolean {
  if (/^100[0-7]{3}$/.test(mode)) return (Number.parseInt(mode, 8) & 0o100) !== 0;
  throw new PatchError(
    `the patch makes a ${
      mode.startsWith("120") ? "link" : "thing"
    } of mode ${mode}: it can make files only`,
  );
}

function fileOf(head: Head): FilePatch {
  const { at, hunks, executable } = head;
  const { from, to, made, gone } = namesOf(head);
  const mode = executable === undefined ? {} : { executable };
  if (made) {
    const lines = hunks.flatMap((hunk) => hunk.lines).filter(({ kind }) => kind === "added");
    return { kind: "add", at, path: to, lines, ...mode };
  }
  if (gone) return { kind: "delete", at, path: from, hunks };
  const moved = to === from ? {} : { to, ...(head.copied === true ? { copied: true } : {}) };
  return { kind: "update", at, path: from, hunks, ...mode, ...moved };
}

/** The names before and after, without the `a/` and `b/` that diffs put before them. */
function namesOf(head: Head): {
  readonly from: string;
  readonly to: string;
  readonly made: boolean;
  readonly gone: boolean;
} {
  const { old, next, pair } = head;
  const made = head.made === true || old === NOTHING;
  const gone = head.gone === true || next === NOTHING;
  const of = (from: string, to: string) => ({ from, to, made, gone });
  if (head.from !== undefined && head.to !== undefined) return of(head.from, head.to);
  if (pair !== undefined) {
    const name = sameBelow(...pair) ?? pair[0];
    return of(name, name);
  }
  if (old === undefined || next === undefined) {
    throw new PatchError(
      `the patch does not name the file of its line ${head.at}: put --- and +++ lines`,
    );
  }
  if (made) return of(next, withoutFolder(next, "b/"));
  if (gone) return of(withoutFolder(old, "a/"), next);
  if (old === next) return of(old, next);
  const same = sameBelow(old, next);
  if (same !== undefined) return of(same, same);
  if (old.startsWith("a/") && next.startsWith("b/")) {
    return of(withoutFolder(old, "a/"), withoutFolder(next, "b/"));
  }
  // As `diff -u a.txt.orig a.txt`.
  return of(next, next);
}

function withoutFolder(name: string, folder: string): string {
  return name.startsWith(folder) ? name.slice(folder.length) : name;
}

/** Reads a change by the counts of its head, or up to the next head where those are wrong. */
function readHunk(
  lines: readonly string[],
  at: number,
): { readonly hunk: Hunk; readonly end: number } {
  const head = lines[at] ?? "";
  const [whole, oldStart, old = "1", , next = "1"] = HUNK.exec(head) ?? [];
  const counted = whole === undefined
    ? undefined
    : readCounted(lines, at + 1, Number(old), Number(next));
  const { found, end } = counted ?? readToHead(lines, at + 1);
  if (found.length === 0) {
    throw new PatchError(`the change at line ${at + 1} of the patch is empty: give its lines`);
  }
  const hunk: Hunk = {
    at: at + 1,
    ...(oldStart === undefined ? {} : { oldStart: Number(oldStart) }),
    anchors: [],
    atEnd: false,
    lines: found,
  };
  return { hunk, end };
}

interface Found {
  readonly found: PatchLine[];
  readonly end: number;
}

function readCounted(
  lines: readonly string[],
  start: number,
  oldCount: number,
  nextCount: number,
): Found | undefined {
  const found: PatchLine[] = [];
  let old = 0;
  let next = 0;
  let at = start;
  for (; at < lines.length && (old < oldCount || next < nextCount); at++) {
    const line = lines[at] ?? "";
    if (markEnd(found, line)) continue;
    const read = readLine(line);
    if (read === undefined) return undefined;
    if (read.kind !== "added") old++;
    if (read.kind !== "removed") next++;
    found.push(read);
  }
  if (old !== oldCount || next !== nextCount) return undefined;
  if (markEnd(found, lines[at] ?? "")) at++;
  const after = lines[at] ?? "";
  const goesOn = /^[ +-]/.test(after) && !isFileHead(lines, at) && !/^--\s?$/.test(after);
  return goesOn ? undefined : { found, end: at };
}

function readToHead(lines: readonly string[], start: number): Found {
  const found: PatchLine[] = [];
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (/^(?:@@|diff --git |Index: )/.test(line) || isFileHead(lines, at)) break;
    if (/^-- ?$/.test(line) && at + 2 >= lines.length) break;
    if (markEnd(found, line)) continue;
    const read = readLine(line);
    if (read === undefined) {
      throw new PatchError(
        `line ${at + 1} of the patch begins with neither a space, + nor -: ${line.slice(0, 100)}`,
      );
    }
    found.push(read);
  }
  // Empty lines between two changes are no lines of the file.
  for (let last = at - 1; lines[last] === "" && found.length > 0; last--) found.pop();
  return { found, end: at };
}

/** A line of a change; an empty one has lost its space. */
export function readLine(line: string): PatchLine | undefined {
  if (line === "" || line === "\r") return { kind: "same", text: line };
  const kind = ({ " ": "same", "-": "removed", "+": "added" } as const)[line[0] ?? ""];
  return kind === undefined ? undefined : { kind, text: line.slice(1) };
}

/** Whether a line says that no newline follows the one before it, which is then marked. */
function markEnd(found: PatchLine[], line: string): boolean {
  if (!line.startsWith("\\")) return false;
  const last = found.pop();
  if (last !== undefined) found.push({ ...last, unended: true });
  return true;
}
