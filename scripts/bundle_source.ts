/**
 * Makes what `scripts/sion` runs: the source bundled into `.cache/source`, since a runtime takes
 * longer to load hundreds of source files than the program takes to do its work
 * (docs/decisions/0009-how-source-runs.md). `scripts/sion` calls it when a source is newer.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { bundleModules } from "./_bundle.ts";
import { ROOT } from "./_project.ts";

const FOLDER = join(ROOT, ".cache/source");

/** A program that started before a rebuild may still load parts of its own bundle for so long. */
const KEEP_OLD_PARTS_MS = 24 * 3_600_000;

/**
 * Moves a new bundle in, the parts before the programs that load them. Parts are named by their
 * content, so programs that run and rebuilds at the same time never meet a wrong one.
 */
function install(made: string): void {
  const parts = join(FOLDER, "parts");
  mkdirSync(parts, { recursive: true });
  const fresh = new Set(readdirSync(join(made, "parts")));
  for (const name of fresh) renameSync(join(made, "parts", name), join(parts, name));
  for (const entry of readdirSync(made, { withFileTypes: true })) {
    if (entry.isFile()) renameSync(join(made, entry.name), join(FOLDER, entry.name));
  }
  for (const name of readdirSync(parts)) {
    const old = statSync(join(parts, name)).mtimeMs < Date.now() - KEEP_OLD_PARTS_MS;
    if (old && !fresh.has(name)) rmSync(join(parts, name), { force: true });
  }
}

mkdirSync(join(ROOT, ".cache"), { recursive: true });
const made = mkdtempSync(join(ROOT, ".cache/source-"));
try {
  await bundleModules(made, "source");
  install(made);
} catch {
  // esbuild has printed each error with its place.
  console.error("error: the source does not compile: see above");
  process.exitCode = 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}
