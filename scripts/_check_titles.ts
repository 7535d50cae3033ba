/** Test titles end with the requirement ids they show, e.g. `parseUsd() refuses … [L-064 A-012]`. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { filesBelow, ROOT } from "./_project.ts";

const BRACKETS = /\[([^\]]*\b[A-Z]-?\d[^\]]*)\](?=["'`],)/g;
const IDS = /^[LAC]-\d{3}(\.\.([LAC]-)?\d{3})?( [LAC]-\d{3}(\.\.([LAC]-)?\d{3})?)*$/;

/** One line for each title whose bracket holds something that looks like an id and is none. */
export function badTestTitles(): string[] {
  return filesBelow("test", ".test.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(BRACKETS)]
      .filter((match) => !IDS.test(match[1] ?? ""))
      .map((match) =>
        `${relative(ROOT, file)}: [${match[1]}] is not a list of ids like L-064 A-012`
      )
  );
}
