/** What runs a script of a skill: its `#!` line, or else its extension. */
import type { SkillFile } from "./files.ts";
import { SKILL_FILE } from "./declaration.ts";

/** Bytes of a `#!` line that a system reads. */
const MAX_LINE_BYTES = 255;

const BY_EXTENSION: Readonly<Record<string, readonly string[]>> = {
  js: ["node"],
  pl: ["perl"],
  py: ["python3"],
  rb: ["ruby"],
  sh: ["/bin/sh"],
};

/** The program and its arguments before the script's path; undefined for what is no script. */
export function scriptInterpreter({ path, bytes }: SkillFile): readonly string[] | undefined {
  if (path === SKILL_FILE) return undefined;
  const line = lineOf(bytes);
  if (line !== undefined) {
    // As the system does it: all that is behind the program is one argument.
    const [, program = "", argument = ""] = /^[ \t]*(\S+)[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (program !== "") return argument === "" ? [program] : [program, argument];
  }
  const extension = /\.([a-z]+)$/.exec(path)?.[1] ?? "";
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

function lineOf(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder().decode(bytes.subarray(0, MAX_LINE_BYTES));
  return /^#!([^\n]*)/.exec(head)?.[1]?.replace(/\r$/, "");
}
