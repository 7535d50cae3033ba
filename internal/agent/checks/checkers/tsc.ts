/** TypeScript: the project's own `tsc`, else the one on PATH. */
import { problemOf } from "./_checker.ts";
import type { Checker } from "./_checker.ts";

const LINE =
  /^(?<file>[^\s(][^(\n]*)\((?<line>\d+),(?<column>\d+)\): (?<text>(?:error|warning) TS\d+: .*)$/gm;

export const tsc: Checker = {
  name: "tsc",
  claims: ({ names }) => names.has("tsconfig.json"),
  command: () =>
    "if [ -x node_modules/.bin/tsc ]; then tsc=node_modules/.bin/tsc; else tsc=tsc; fi; " +
    "$tsc -p . --noEmit --pretty false",
  problems: (output) => [...output.matchAll(LINE)].map(problemOf),
};
