/**
 * What a test needs of the system it runs on. A test that needs a program says so, and is passed
 * over where it is missing; the end of `scripts/test` names the part, what was not tested and how to
 * get it, and with `CI=true` that is a failure.
 *
 * ```ts
 * describe.skipIf(!needs("bubblewrap", "that the shell cannot leave its workspace"))("shell", …);
 * ```
 */
import { appendFileSync } from "node:fs";
import process from "node:process";
import { findPart, type PartName, partNamed } from "../scripts/_parts_table.ts";

/** One line of the file that `SION_MISSING_PARTS` names. */
export type MissingPart = { readonly part: string; readonly untested: string };

/** Whether the part is there; if not, what goes untested is noted for the end of the run. */
export function needs(name: PartName, untested: string): boolean {
  if (pathOf(name) !== undefined) return true;
  const file = process.env["SION_MISSING_PARTS"];
  const missing: MissingPart = { part: name, untested };
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(missing)}\n`);
  return false;
}

/**
 * The file of the part's program.
 * @throws {Error} when it is missing: ask {@link needs} first.
 */
export function partPath(name: PartName): string {
  const file = pathOf(name);
  if (file === undefined) throw new Error(`Cannot use ${name}: it is not installed`);
  return file;
}

function pathOf(name: PartName): string | undefined {
  const part = partNamed(name);
  return part && findPart(part);
}
