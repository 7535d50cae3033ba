/**
 * The real programs, for end-to-end tests. `scripts/test` runs those tests twice: against the npm
 * package's bundles on Node, and from source on Deno. Run by hand, a test takes the runtime it is in
 * and the source.
 */
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const REPOSITORY: string = join(fileURLToPath(new URL(".", import.meta.url)), "..");

/**
 * Program and first arguments that start a program of `cmd/`; the caller appends its own arguments.
 * It is one process, so a signal to it reaches the program itself.
 */
export function programCommand(name: string): [string, ...string[]] {
  if (process.env["SION_TEST_PROGRAMS"] === "build") {
    return [nodePath(), join(REPOSITORY, "dist/npm/bin", `${name}.js`)];
  }
  const source = join(REPOSITORY, "cmd", name, "main.ts");
  if (!("Deno" in globalThis)) return [process.execPath, source];
  const config = join(REPOSITORY, "deno.json");
  return [process.execPath, "run", "-A", "--quiet", "--no-check", "--config", config, source];
}

function nodePath(): string {
  if ("Deno" in globalThis) throw new Error("The Node build is tested from Node");
  return process.execPath;
}
