/**
 * `scripts/record-docs [--check] [PAGE…]`: the pages of docs/ that are made from the program's own
 * data, and those that show what programs print: for these the programs run, at devnets of their own,
 * which takes some minutes. PAGE is a part of a path. With `--check` nothing runs and nothing is
 * written: stale pages made from data are named, and the exit code is 1.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { ROOT } from "./_project.ts";
import type { Page } from "./record_docs/_page.ts";
import { generatedPages } from "./record_docs/pages.ts";
import { recordedPages } from "./record_docs/recorded.ts";
import { readWords } from "./_words.ts";

async function main(check: boolean, wanted: readonly string[]): Promise<number> {
  let stale = 0;
  for (const page of check ? generatedPages : allPages()) {
    if (wanted.length > 0 && !wanted.some((part) => page.path.includes(part))) continue;
    const file = join(ROOT, page.path);
    const text = await page.text();
    if (text === read(file)) continue;
    stale++;
    if (check) {
      console.error(`stale: ${page.path}`);
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(page.path);
  }
  if (check && stale > 0) console.error("Run scripts/record-docs.");
  return check && stale > 0 ? 1 : 0;
}

/** Recorded pages last, and in place of what their data alone would make of them. */
function allPages(): readonly Page[] {
  const recorded = recordedPages();
  const paths = new Set(recorded.map(({ path }) => path));
  return [...generatedPages.filter(({ path }) => !paths.has(path)), ...recorded];
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const { options, rest } = readWords({
  usage: "scripts/record-docs [--check] [PAGE...]",
  about: [
    "Makes the generated and recorded pages of docs/ and the README anew, which takes some minutes.",
    "PAGE is a part of a page's path.",
  ],
  options: { "--check": "write nothing, name the stale pages that need no program to run" },
  most: Infinity,
});
process.exitCode = await main(options.has("--check"), rest);
