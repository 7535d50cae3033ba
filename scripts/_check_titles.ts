/** Test titles end with the requirement ids they show, e.g. `parseUsd() refuses … [L-064 A-012]`. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { filesBelow, ROOT } from "./_project.ts";

const BRACKETS = /\[([^[\]\n]*\b[A-Z]-?\d[^[\]\n]*)\](?=["'`],)/g;
const IDS = /^[LAC]-\d{3}(\.\.([LAC]-)?\d{3})?( [LAC]-\d{3}(\.\.([LAC]-)?\d{3})?)*$/;

/** The brackets of a test file's titles that hold something like an id and are no list of ids. */
export function badTitlesIn(source: string): string[] {
  return [...source.matchAll(BRACKETS)]
    .filter((match) => !IDS.test(match[1] ?? ""))
    .map((match) => match[0]);
}

/** One line for each bad bracket of the project's tests. */
export function badTestTitles(): string[] {
  return filesBelow("test", ".test.ts").flatMap((file) =>
    badTitlesIn(readFileSync(file, "utf8"))
      .map((bracket) =>
        `${relative(ROOT, file)}: ${bracket} is not a list of ids like [L-064 A-012]`
      )
  );
}
