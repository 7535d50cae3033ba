/** Runs a program of the model's over its tools that only read. */
import * as z from "zod";
import type { ToolFailure, ToolResult } from "#internal/mcp/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { runProgram } from "#internal/sandbox/mod.ts";
import type { KeptText, ProgramEnd, SandboxLimits } from "#internal/sandbox/mod.ts";
import { commandLimitMs, sandboxFailure, shellOf } from "./_shell.ts";
import { defineAgentTool } from "./_tool.ts";

/** Longer is no short program, characters. */
const MAX_CODE_LENGTH = 100_000;
/** What it prints, characters. */
const OUTPUT_LENGTH = 24_000;
/** What is said besides: how it ended, and what hooks added. */
const BESIDES_LENGTH = 24_000;
/** A container in which the program's program is not there. */
const NOT_FOUND = 127;

/** A read whatever it does: it has nothing but its calls, and each of those is judged by itself. */
export const runCode = defineAgentTool({
  name: "run_code",
  title: "Run a program over tools",
  description:
    "Run a short Python 3 program that calls your tools that only read, as functions: a loop over " +
    "many files, or a search whose results it filters, is one step. " +
    'tools.read_file(path="a.txt") or call("read_file", path="a.txt") returns the text that the ' +
    "tool gives (of read_file the file's own, without line numbers) and raises ToolError when it " +
    "fails. The program has Python's standard library alone, no files, no network; what it reads, " +
    "it reads through the tools, 200 calls at most. Only what it prints comes back, cut at " +
    "24,000 characters, and its traceback when it fails.",
  input: () =>
    z.strictObject({
      code: z.string().min(1).max(MAX_CODE_LENGTH).describe("The program"),
    }),
  needs: ["workspace", "shell"],
  offered: ({ shell }) => shell?.sandbox.python !== undefined,
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  // One in the program stands for itself, until the program gives it to a tool.
  takesPlaceholders: true,
  mainArgument: "code",
  fromPrograms: false,
  outputLimitBytes: OUTPUT_LENGTH + BESIDES_LENGTH,
  limitMs: commandLimitMs,
  async run(context, { code }) {
    const { sandbox } = shellOf(context);
    const { programs, signal } = context;
    if (programs === undefined) throw new TypeError("Cannot run a program without its calls");
    if (signal.aborted) return refused("cancelled", "the program was not begun: it was stopped");
    try {
      const program = { code, tools: programs.tools };
      const end = await runProgram(sandbox, program, programs.call, {
        signal,
        outputLength: OUTPUT_LENGTH,
      });
      return resultOf(end, sandbox.limits, programs.added());
    } catch (error) {
      return sandboxFailure(error);
    }
  },
});

function resultOf(end: ProgramEnd, limits: SandboxLimits, added: readonly string[]): ToolResult {
  const { output } = end;
  const why = whyFailed(end, limits);
  const printed = output.length === 0 ? [] : [textOf(output)];
  if (why === undefined) {
    const text = output.length === 0 ? ["(the program printed nothing)"] : printed;
    return { ok: true, text: [...text, ...added].join("\n") };
  }
  return failed([output.length === 0 ? why : `${why}; it printed:`, ...printed, ...added]);
}

function failed(lines: readonly string[]): ToolFailure {
  return refused("program", lines.join("\n"));
}

function whyFailed(
  { status, stopped, outOfMemory, output }: ProgramEnd,
  limits: SandboxLimits,
): string | undefined {
  if (stopped === "time") {
    return `the program was stopped by the time limit of ${Math.round(limits.timeMs / 1_000)} s`;
  }
  if (stopped === "cancelled") return "the program was stopped: nobody waits for it any more";
  if (stopped === "pipe") {
    return "the program was stopped: it wrote to the pipe that its calls go through, so leave " +
      "files alone that it did not open";
  }
  if (outOfMemory) return "the program was stopped: it used up its memory";
  if (status === NOT_FOUND && output.length > 0) return "Python 3 could not be started";
  return status === 0 ? undefined : `the program failed (exit status ${status})`;
}

/** Its beginning and its end, with how much is left out between them. */
function textOf({ head, tail, length }: KeptText): string {
  const left = length - head.length - tail.length;
  const whole = left === 0 ? head + tail : `${head}\n… (${left} characters left out) …\n${tail}`;
  return whole.replace(/\n$/, "").toWellFormed();
}
