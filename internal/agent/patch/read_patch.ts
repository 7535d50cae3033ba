/** Reads a patch in either form. */
import { BEGIN, readBeginPatch } from "./begin_patch.ts";
import type { Patch } from "./file_patch.ts";
import { PatchError } from "./file_patch.ts";
import { readUnified } from "./unified.ts";

/** Files that one patch changes at most. */
const MAX_FILES = 500;

/** Reads a patch. @throws {PatchError} */
export function readPatch(text: string): Patch {
  let lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  // A patch that went through a system with other line endings has them in its own lines too.
  if (lines.every((line) => line.endsWith("\r"))) lines = lines.map((line) => line.slice(0, -1));
  lines = unfenced(lines);
  const patch = lines.some((line) => line.trim() === BEGIN)
    ? readBeginPatch(lines)
    : readUnified(lines);
  if (patch.files.length === 0) {
    throw new PatchError(
      "the patch changes no file: give a unified diff with --- and +++ lines, or " +
        "*** Begin Patch … *** End Patch",
    );
  }
  if (patch.files.length > MAX_FILES) {
    throw new PatchError(
      `the patch changes ${patch.files.length} files: at most ${MAX_FILES} at once`,
    );
  }
  return patch;
}

/** What a model put between two lines of three backticks. */
function unfenced(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const fenced = first < last && lines[first]?.startsWith("```") === true &&
    lines[last]?.trim() === "```";
  return fenced ? lines.slice(first + 1, last) : [...lines];
}
