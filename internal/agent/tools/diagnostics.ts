/** Runs the project's checkers in the shell's sandbox and gives the problems they found. */
import * as z from "zod";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { checkers } from "../checks/checkers/mod.ts";
import type { Checker, Problem } from "../checks/checkers/mod.ts";
import { readProject } from "../checks/project.ts";
import { endText, lastOf, runCheck } from "../checks/run_check.ts";
import type { CheckRun } from "../checks/run_check.ts";
import { PATH_DESCRIPTION, workspaceOf } from "./_files.ts";
import { commandAnswer, runsCommands, sandboxFailure, shellOf } from "./_shell.ts";
import { defineAgentTool } from "./_tool.ts";

/** Problems of one checker that are told. */
const MOST_TOLD = 100;
/** Characters of one. */
const MOST_TEXT = 500;

/** Like a test run it may be repeated after each change. */
export const diagnostics = defineAgentTool({
  name: "diagnostics",
  title: "Check the code",
  description: "Run the project's checker (cargo check, tsc, ruff or Python's compiler, go vet; " +
    "found by the files at the workspace's root) and give the problems, file and line.",
  input: () =>
    z.strictObject({
      path: z.string().min(1).exactOptional()
        .describe(`Only problems of this file or folder. ${PATH_DESCRIPTION}`),
    }),
  ...runsCommands,
  openWorld: false,
  mainArgument: "path",
  async run(context, { path }) {
    const own = shellOf(context);
    const project = await readProject(workspaceOf(context), own.sandbox.online);
    const found = checkers.filter((checker) => checker.claims(project));
    if (found.length === 0) {
      return refused(
        "no-checker",
        "no checker is known for the files at the workspace's root: check with the tool shell",
      );
    }
    try {
      const texts: string[] = [];
      for (const checker of found) {
        const run = await runCheck(own.sandbox, checker.command(project), context.signal);
        texts.push(checkText(checker, run, path, own.sandbox.limits.timeMs));
      }
      return commandAnswer(own, texts.join("\n"));
    } catch (error) {
      return sandboxFailure(error) satisfies ToolResult;
    }
  },
});

function checkText(
  checker: Checker,
  { end, output }: CheckRun,
  path: string | undefined,
  timeMs: number,
): string {
  const all = uniqueOf(checker.problems(output));
  const within = path === undefined ? all : all.filter(({ file }) => isWithin(file, path));
  if (all.length === 0) {
    if (end.status === 0 && end.stopped === undefined) return `${checker.name}: no problems`;
    return `${checker.name}: ${endText(end, timeMs)}, and no problem with a file and line\n` +
      `--- end of the output\n${lastOf(output)}`;
  }
  const where = path === undefined ? "" : ` in ${path}`;
  const count = `${within.length} ${within.length === 1 ? "problem" : "problems"}`;
  const more = within.length > MOST_TOLD ? [`… and ${within.length - MOST_TOLD} more`] : [];
  return [
    `${checker.name}: ${count}${where}`,
    ...within.slice(0, MOST_TOLD).map(({ file, line, column, text }) =>
      `${file}:${line}${column === undefined ? "" : `:${column}`}: ${text.slice(0, MOST_TEXT)}`
    ),
    ...more,
  ].join("\n");
}

/** A checker may say the same of each way a file is built. */
function uniqueOf(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function isWithin(file: string, path: string): boolean {
  const plain = path.replace(/^\.\//, "").replace(/\/+$/, "");
  return plain === "." || file === plain || file.startsWith(`${plain}/`);
}
