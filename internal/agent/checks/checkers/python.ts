/** Python: `ruff` where it is, else the compiler, which finds what is no Python at all. */
import { isPython } from "../project.ts";
import { problemOf } from "./_checker.ts";
import type { Checker, Problem } from "./_checker.ts";

const RUFF = /^(?<file>[^\s:][^:\n]*\.pyi?):(?<line>\d+):(?<column>\d+): (?<text>\S.*)$/gm;
/** A file and line, lines of the program, then what is wrong with it. */
const COMPILER =
  /^ *File "(?<file>[^"\n]+)", line (?<line>\d+)[^\n]*\n(?: {2,}[^\n]*\n){0,4}(?<text>\w*Error: .*)$/gm;

export const python: Checker = {
  name: "ruff or compileall",
  claims: isPython,
  command: () =>
    "if command -v ruff >/dev/null 2>&1; then ruff check --output-format concise --no-cache .; " +
    "else python3 -m compileall -q -x '/(\\.git|\\.venv|venv|node_modules|target)/' .; fi",
  problems(output): readonly Problem[] {
    return [...output.matchAll(RUFF), ...output.matchAll(COMPILER)].map(problemOf);
  },
};
