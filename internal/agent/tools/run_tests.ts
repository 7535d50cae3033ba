/** Runs the project's tests in the shell's sandbox and gives what came of them. */
import * as z from "zod";
import { shellWord } from "#internal/core/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { readProject } from "../checks/project.ts";
import { endText, lastOf, runCheck } from "../checks/run_check.ts";
import type { CheckRun } from "../checks/run_check.ts";
import { readTests } from "../checks/test_formats/mod.ts";
import { runnersFor } from "../checks/test_runners/mod.ts";
import { workspaceOf } from "./_files.ts";
import { commandAnswer, runsCommands, sandboxFailure, shellOf } from "./_shell.ts";
import { defineAgentTool } from "./_tool.ts";

/** Failures that are named. */
const MOST_NAMED = 50;
/** Characters of a name. */
const MOST_NAME = 200;
const MAX_FILTER_LENGTH = 200;

/** Not in the journal: tests run again after a fix. */
export const runTests = defineAgentTool({
  name: "run_tests",
  title: "Run the tests",
  description:
    "Run the project's tests (cargo test, npm test, pytest, go test or make test; found " +
    "by the files at the workspace's root): how many passed and failed, the failures by name, and " +
    "the end of the output.",
  input: () =>
    z.strictObject({
      filter: z.string().trim().min(1).max(MAX_FILTER_LENGTH).exactOptional()
        .describe("Only tests of this name, as the runner takes it (default all; not for make)"),
    }),
  ...runsCommands,
  openWorld: false,
  mainArgument: "filter",
  async run(context, { filter }) {
    if (filter?.startsWith("-") === true || filter?.includes("\0") === true) {
      return refused("argument", "filter is no name of a test: give a part of one");
    }
    const own = shellOf(context);
    const project = await readProject(workspaceOf(context), own.sandbox.online);
    const runners = runnersFor(project);
    if (runners.length === 0) {
      return refused(
        "no-tests",
        "no runner of tests is known for the files at the workspace's root: run them with the " +
          "tool shell",
      );
    }
    const word = filter === undefined ? undefined : shellWord(filter);
    try {
      const texts: string[] = [];
      for (const runner of runners) {
        const run = await runCheck(own.sandbox, runner.command(project, word), context.signal);
        texts.push(testsText(runner.name, run, own.sandbox.limits.timeMs));
      }
      return commandAnswer(own, texts.join("\n"));
    } catch (error) {
      return sandboxFailure(error);
    }
  },
});

function testsText(name: string, { end, output }: CheckRun, timeMs: number): string {
  const counts = readTests(output);
  const ended = end.status === 0 && end.stopped === undefined ? "" : ` (${endText(end, timeMs)})`;
  const last = output.trim() === "" ? [] : [`--- end of the output`, lastOf(output)];
  if (counts === undefined) {
    const said = ended === "" ? " (exit status 0)" : ended;
    return [`${name}: how many passed and failed cannot be told${said}`, ...last].join("\n");
  }
  const { passed, failed, failures } = counts;
  const named = failures.slice(0, MOST_NAMED).map((one) => `  ${one.slice(0, MOST_NAME)}`);
  const more = failures.length > MOST_NAMED ? [`  … ${failures.length - MOST_NAMED} more`] : [];
  return [
    `${name}: ${passed} passed, ${failed} failed${ended}`,
    ...(named.length === 0 ? [] : ["failed:", ...named, ...more]),
    ...last,
  ].join("\n");
}
