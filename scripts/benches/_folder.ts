/** A temporary folder for one run of a benchmark. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Place } from "../_sion.ts";

/** Makes a state folder that nothing is in yet; disposing removes it, and so does the process's end. */
export function freshPlace(): Place & Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "sion-bench-"));
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  // A program that is just being ended may still write there: tried again for a moment.
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  return {
    folder,
    home,
    [Symbol.dispose]() {
      process.off("exit", remove);
      remove();
    },
  };
}
