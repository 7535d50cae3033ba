/** What a checker of code is. One file a checker; `mod.ts` lists them. */
import type { Project } from "../project.ts";

/** Something that is wrong at a place. */
export interface Problem {
  /** Relative to the workspace. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly text: string;
}

/** A program that finds problems without running the project. */
export interface Checker {
  readonly name: string;
  /** Whether a project is one that it checks. */
  claims(project: Project): boolean;
  /** The command, for a shell. */
  command(project: Project): string;
  /** The problems in what it printed. */
  problems(output: string): readonly Problem[];
}

/** A problem out of a match of file, line, column and text. */
export function problemOf(match: RegExpMatchArray): Problem {
  const { file = "", line = "0", column, text = "" } = match.groups ?? {};
  return {
    file: file.replace(/^\.\//, "").replace(/^\/workspace\//, ""),
    line: Number(line),
    ...(column === undefined ? {} : { column: Number(column) }),
    text: text.trim(),
  };
}
