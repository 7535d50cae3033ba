/**
 * Patches between `*** Begin Patch` and `*** End Patch`: files added, updated, deleted and moved, each
 * change after the `@@` lines that stand before it in the file.
 */
import type { FilePatch, Hunk, Patch, PatchLine } from "./file_patch.ts";
import { PatchError } from "./file_patch.ts";
import { readLine } from "./unified.ts";

/** The line that such a patch begins with. */
export const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";

/** Reads the lines of such a patch. */
export function readBeginPatch(lines: readonly string[]): Patch {
  const begin = lines.findIndex((line) => line.trim() === BEGIN);
  const length = lines.slice(begin).findIndex((line) => line.trim() === END);
  if (length === -1) {
    throw new PatchError(`the patch has no line ${END}, so it may be cut off: give it whole`);
  }
  const files: FilePatch[] = [];
  const end = begin + length;
  for (let at = begin + 1; at < end;) {
    const line = lines[at] ?? "";
    const [, what, name = ""] = /^\*\*\* (Add|Update|Delete) File: (.*)$/.exec(line.trimEnd()) ??
      [];
    if (what === undefined) {
      if (line.trim() === "") {
        at++;
        continue;
      }
      throw new PatchError(
        `line ${
          at + 1
        } of the patch is no *** Add File:, *** Update File: or *** Delete File: line: ` +
          line.slice(0, 100),
      );
    }
    const path = name.trim();
    if (path === "") throw new PatchError(`line ${at + 1} of the patch names no file`);
    if (what === "Add") {
      const read = readAdded(lines, at + 1, end);
      files.push({ kind: "add", at: at + 1, path, lines: read.added });
      at = read.end;
    } else if (what === "Delete") {
      files.push({ kind: "delete", at: at + 1, path, hunks: [] });
      at++;
    } else {
      const to = /^\*\*\* Move to: (.*)$/.exec((lines[at + 1] ?? "").trimEnd())?.[1]?.trim();
      const read = readHunks(lines, at + (to === undefined ? 1 : 2), end);
      if (read.hunks.length === 0 && to === undefined) {
        throw new PatchError(
          `the patch changes nothing of ${path} (line ${at + 1}): give its lines`,
        );
      }
      const moved = to === undefined || to === path ? {} : { to };
      files.push({ kind: "update", at: at + 1, path, hunks: read.hunks, ...moved });
      at = read.end;
    }
  }
  return { files, ofOriginals: false };
}

function readAdded(
  lines: readonly string[],
  start: number,
  stop: number,
): { readonly added: PatchLine[]; readonly end: number } {
  const added: PatchLine[] = [];
  let at = start;
  for (; at < stop && !(lines[at] ?? "").startsWith("*** "); at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("+")) added.push({ kind: "added", text: line.slice(1) });
    else if (line.trim() !== "") {
      throw new PatchError(
        `line ${at + 1} of the patch belongs to a new file and does not begin with +: ` +
          line.slice(0, 100),
      );
    }
  }
  return { added, end: at };
}

function readHunks(
  lines: readonly string[],
  start: number,
  stop: number,
): { readonly hunks: Hunk[]; readonly end: number } {
  const hunks: Hunk[] = [];
  let at = start;
  while (at < stop && !isNextFile(lines[at] ?? "")) {
    const begin = at;
    const anchors: string[] = [];
    let oldStart: number | undefined;
    for (; (lines[at] ?? "").startsWith("@@"); at++) {
      const head = lines[at] ?? "";
      const [whole, number] = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/.exec(head) ?? [];
      if (number !== undefined) oldStart = Number(number);
      const anchor = (whole === undefined ? head.slice(2) : head.slice(whole.length)).trim()
        .replace(/\s*@@$/, "");
      if (anchor !== "" && whole === undefined) anchors.push(anchor);
    }
    const found: PatchLine[] = [];
    let atEnd = false;
    for (; at < stop && !/^(?:@@|\*\*\* )/.test(lines[at] ?? ""); at++) {
      const line = lines[at] ?? "";
      if (line.startsWith("\\ No newline")) continue;
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
    if ((lines[at] ?? "").trim() === END_OF_FILE) {
      atEnd = true;
      at++;
    }
    if (found.length > 0) {
      const number = oldStart === undefined ? {} : { oldStart };
      hunks.push({ at: begin + 1, anchors, atEnd, lines: found, ...number });
    } else if (at === begin) {
      throw new PatchError(
        `line ${at + 1} of the patch is not understood: ${(lines[at] ?? "").slice(0, 100)}`,
      );
    }
  }
  return { hunks, end: at };
}

function isNextFile(line: string): boolean {
  return /^\*\*\* (?:Add|Update|Delete) File: /.test(line);
}
