/** Runs a command in the session's sandbox. */
import * as z from "zod";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { commandText, runCommand } from "#internal/sandbox/mod.ts";
import { defineAgentTool } from "./_tool.ts";
import { ANSWER_LENGTH, commandAnswer, runsCommands, sandboxFailure, shellOf } from "./_shell.ts";

/** Longer is a file, not a command, characters. */
const MAX_COMMAND_LENGTH = 100_000;
/** A command that ended with the runtime may have done half of its work: whoever gave it looks. */
const CUT_OFF: ToolResult = {
  ok: false,
  code: "interrupted",
  message:
    "the command was cut off together with the runtime: look at what it left before you run " +
    "it again",
  noEffect: false,
};
/** Between two words about a command that is still running, ms. */
const PROGRESS_MS = 1_000;

/** Not in the journal: the same command given twice runs twice, as a test suite should after a fix. */
export const shell = defineAgentTool({
  name: "shell",
  title: "Run a command",
  description:
    "Run a command with /bin/sh in the workspace, inside a sandbox that can write only " +
    "the workspace. The result begins with the exit status. For what runs on (a server, a long " +
    "build), give background and look at it with shell_job.",
  input: () =>
    z.strictObject({
      background: z.boolean().exactOptional()
        .describe("Start it and go on; the answer is the job's number (default false)"),
      command: z.string().min(1).max(MAX_COMMAND_LENGTH).describe("The command"),
    }),
  ...runsCommands,
  openWorld: true,
  mainArgument: "command",
  says: ({ background = false, command }) =>
    (background ? "Start, and go on: " : "Run: ") + command.trim().replaceAll("\n", "\n  "),
  outputLimitBytes: ANSWER_LENGTH,
  async run(context, { command, background = false }) {
    if (command.includes("\0")) {
      return refused("argument", "the command holds a zero byte: write it as \\0 for printf");
    }
    const own = shellOf(context);
    const { sandbox, jobs } = own;
    const { signal, progress } = context;
    try {
      if (background) return startedText(await jobs.start(command));
      let bytes = 0;
      let toldMs = performance.now();
      const end = await runCommand(sandbox, { argv: ["/bin/sh", "-c", command] }, {
        signal,
        onOutput(piece) {
          bytes += piece.length;
          if (performance.now() - toldMs < PROGRESS_MS) return;
          toldMs = performance.now();
          const text = new TextDecoder().decode(piece).trim().split("\n").at(-1) ?? "";
          progress?.({ progress: bytes, message: text.slice(0, 200).toWellFormed() });
        },
      });
      return commandAnswer(own, commandText(end, sandbox.limits));
    } catch (error) {
      return sandboxFailure(error);
    }
  },
  recover: () => Promise.resolve(CUT_OFF),
});

function startedText(job: number | undefined): ToolResult {
  return job === undefined
    ? refused("busy", "too many jobs run already: stop one with shell_job")
    : { ok: true, text: `job ${job} started: look at it with shell_job` };
}
