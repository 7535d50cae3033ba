/** A temporary folder for one run of a benchmark. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Place } from "../_sion.ts";

/** Makes a state folder that nothing is in yet; disposing removes it. */
export function freshPlace(): Place & Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "sion-bench-"));
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  return {
    folder,
    home,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
