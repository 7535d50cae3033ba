/** A folder beside the project with its configuration and packages, to feed forbidden files to its tools. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { ROOT, run } from "../../scripts/_project.ts";

const CONFIGURATION = [
  ".dependency-cruiser.mjs",
  ".oxlintrc.json",
  "deno.json",
  "package.json",
  "tsconfig.json",
];

/** A made folder; disposing removes it. */
export type Scratch = Disposable & {
  readonly folder: string;
  /** Runs a package's program there; its output and exit code. */
  readonly tool: (script: string, ...args: string[]) => Promise<{ code: number; output: string }>;
};

/** Makes a folder that holds the project's configuration and the given files (path -> text). */
export function makeScratch(files: Readonly<Record<string, string>>): Scratch {
  const folder = mkdtempSync(join(tmpdir(), "sion-tooling-"));
  for (const name of CONFIGURATION) cpSync(join(ROOT, name), join(folder, name));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return {
    folder,
    tool: (script, ...args) =>
      run([process.execPath, join(ROOT, "node_modules", script), ...args], { cwd: folder }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
