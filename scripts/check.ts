/**
 * `scripts/check`: every check that needs no running program, two at a time, one line each. What a
 * failed check printed follows at the end. Nothing here uses the network.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { badTestTitles } from "./_check_titles.ts";
import { duplicateVersions, unpinnedVersions } from "./_check_versions.ts";
import { type Finished, ROOT, run, seconds } from "./_project.ts";
import { readWords } from "./_words.ts";

type Check = { readonly name: string; readonly run: () => Promise<Finished> };

const AT_ONCE = 2;

const isThere = (folder: string): boolean => existsSync(join(ROOT, folder));
const OF_PROGRAMS = ["cmd", "exports", "internal"].filter(isThere);
const SOURCES = [...OF_PROGRAMS, "scripts", "test"].filter(isThere);

function tool(name: string, script: string, ...args: string[]): Check {
  const command = [process.execPath, `${ROOT}/node_modules/${script}`, ...args];
  return { name, run: () => run(command) };
}

/** A check whose findings are lines of text; none means that it holds. */
function rule(name: string, find: () => string[]): Check {
  return {
    name,
    run: () => {
      const lines = find();
      const output = lines.join("\n");
      return Promise.resolve({ code: lines.length === 0 ? 0 : 1, output, stdout: output });
    },
  };
}

/** The slow ones first, so that the two lanes end together. */
const CHECKS: readonly Check[] = [
  tool("types", "typescript/bin/tsc", "-p", "."),
  // Of what runs on Deno as it is; in tests and scripts it finds what the other does, once more.
  { name: "types (deno)", run: () => run(["deno", "check", "--quiet", ...OF_PROGRAMS]) },
  tool("layers", "dependency-cruiser/bin/dependency-cruiser.mjs", ...SOURCES),
  tool("lint and sizes", "oxlint/bin/oxlint", "--type-aware", "--deny-warnings"),
  tool("unused code", "knip/bin/knip.js", "--no-progress"),
  { name: "lint (deno)", run: () => run(["deno", "lint", "--quiet"]) },
  { name: "format", run: () => run(["deno", "fmt", "--check", "--quiet"]) },
  rule("versions", () => [...duplicateVersions(), ...unpinnedVersions()]),
  rule("test titles", badTestTitles),
];

async function main(): Promise<number> {
  const waiting = [...CHECKS];
  const failed: { name: string; output: string }[] = [];
  const lane = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const startMs = performance.now();
      const { code, output } = await check.run();
      const took = seconds(performance.now() - startMs).padStart(9);
      console.log(`${check.name.padEnd(16)}${code === 0 ? "ok    " : "failed"}${took}`);
      if (code !== 0) failed.push({ name: check.name, output });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  for (const { name, output } of failed) console.error(`\n--- ${name} ---\n${output.trim()}`);
  if (failed.length > 0) console.error(`\nfailed: ${failed.map(({ name }) => name).join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}

readWords({
  usage: "scripts/check",
  about: [
    "Format, lint, layers, sizes, types, unused code, versions, test titles. Needs no network.",
  ],
});
process.exitCode = await main();
