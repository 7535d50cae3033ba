/**
 * `scripts/record-docs [--check]`: the pages of docs/ that are made from the program's own data.
 * With `--check` nothing is written: stale pages are named, and the exit code is 1.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { ROOT } from "./_project.ts";
import { generatedPages } from "./record_docs/pages.ts";

async function main(check: boolean): Promise<number> {
  let stale = 0;
  for (const page of generatedPages) {
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

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

process.exitCode = await main(process.argv[2] === "--check");
