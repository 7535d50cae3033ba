/**
 * `search`: `search_files` over a tree of 100,000 files, from a bundle as the product's on Node, beside
 * ripgrep on the same tree in the same rounds.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { build } from "esbuild";
import { messageOf } from "#internal/core/mod.ts";
import { ROOT, which } from "../_project.ts";
import type { Bench } from "./_bench.ts";
import { progress, spread, tenth, thousandth } from "./_bench.ts";
import { freshPlace } from "./_folder.ts";
import { installed } from "./_installed.ts";

const FULL = { folders: 2_000, rounds: 7 } as const;
const QUICK = { folders: 40, rounds: 2 } as const;
const FILES_OF_FOLDER = 50;
/** What brings ripgrep where the system has none: Microsoft's builds, for VS Code. */
const RIPGREP = { name: "@vscode/ripgrep", version: "1.18.0" } as const;
/** One file of so many holds a match, as when somebody looks for where a thing is used. */
const FILES_OF_MATCH = 997;
/** A word with something after it: what most searches are. */
const PATTERN = "needleWord\\d+";
const WORDS =
  "const value await return function import export interface string number error result item index session agent tool call path file read write open close"
    .split(" ");

export const search: Bench = {
  name: "search",
  brief: "`search_files` over 100,000 files, beside ripgrep",
  run: async ({ quick }) => {
    using place = freshPlace();
    return await searchFigures(place.folder, quick);
  },
};

/** Searches a tree that it makes in the folder. Without ripgrep there is no ratio, and it says so. */
export async function searchFigures(
  folder: string,
  quick: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const sizes = quick ? QUICK : FULL;
  progress(`writing ${sizes.folders * FILES_OF_FOLDER} files`);
  const tree = join(folder, "tree");
  const files = writeTree(tree, sizes.folders);
  const program = await bundled(folder);
  const { ripgrep, ...missing } = await findRipgrep();
  const ours = (): number => {
    const out = execFileSync(process.execPath, [program, tree, PATTERN], { encoding: "utf8" });
    const { took, summary } = JSON.parse(out) as { took: number[]; summary: string };
    const matches = Math.ceil(files / FILES_OF_MATCH);
    if (!summary.startsWith(`${matches} match`)) {
      throw new Error(`found other than ${matches}: ${summary}`);
    }
    return took[0] ?? NaN;
  };
  const theirs = (program: string): number => {
    const startMs = performance.now();
    execFileSync(program, ["-n", "-C2", PATTERN, tree], { stdio: ["ignore", "pipe", "inherit"] });
    return performance.now() - startMs;
  };
  progress(`${sizes.rounds} rounds`);
  const rounds: { ours: number; theirs: number | undefined }[] = [];
  // One of each is not counted: files come from disk.
  for (let round = 0; round <= sizes.rounds; round++) {
    const taken = { ours: ours(), theirs: ripgrep === undefined ? undefined : theirs(ripgrep) };
    if (round > 0) rounds.push(taken);
  }
  const found = {
    ...(quick ? { quick } : {}),
    search_files: files,
    search_ms: spread(rounds.map((round) => round.ours)),
  };
  if (ripgrep === undefined) return { ...found, search_over_ripgrep: null, ...missing };
  const ratios = rounds.map((round) => round.ours / (round.theirs ?? NaN)).sort((a, b) => a - b);
  return {
    ...found,
    ripgrep_ms: spread(rounds.map((round) => tenth(round.theirs ?? NaN))),
    search_over_ripgrep: thousandth(ratios[Math.floor(ratios.length / 2)] ?? NaN),
  };
}

/** The system's ripgrep, else one that is installed for benchmarks alone, or why there is none. */
async function findRipgrep(): Promise<
  { readonly ripgrep: string } | { readonly ripgrep?: never; readonly ripgrep_missing: string }
> {
  const ofSystem = which("rg");
  if (ofSystem !== undefined) return { ripgrep: ofSystem };
  const { name, version } = RIPGREP;
  try {
    const folder = await installed(name, version);
    const build = `${name}-${process.platform}-${process.arch}`;
    const ripgrep = join(folder, "node_modules", build, "bin/rg");
    if (existsSync(ripgrep)) return { ripgrep };
    return { ripgrep_missing: `there is no ${build}: install ripgrep` };
  } catch (error) {
    return { ripgrep_missing: messageOf(error) };
  }
}

/** Files of source-like lines, the same each time. */
function writeTree(tree: string, folders: number): number {
  let seed = 1;
  const below = (n: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 65_536) % n;
  };
  let files = 0;
  for (let folder = 0; folder < folders; folder++) {
    const path = join(tree, `m${folder % 50}`, `p${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_OF_FOLDER; file++) {
      const lines = Array.from({ length: 20 + below(80) }, () => {
        return Array.from({ length: 8 }, () => WORDS[below(WORDS.length)]).join(" ");
      });
      if (files % FILES_OF_MATCH === 0) lines.push(`needleWord${files}`);
      writeFileSync(join(path, `f${file}.ts`), `${lines.join("\n")}\n`);
      files++;
    }
  }
  return files;
}

/** The tool alone, bundled as the npm package is. */
async function bundled(folder: string): Promise<string> {
  await build({
    absWorkingDir: ROOT,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    splitting: true,
    entryPoints: { program: join(ROOT, "scripts/benches/_search_program.ts") },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    external: ["@oqs/liboqs-js"],
    mainFields: ["module", "main"],
    logLevel: "warning",
  });
  return join(folder, "program.mjs");
}
