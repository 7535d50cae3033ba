/** Runs a checker or a runner in the sandbox and keeps all that it printed, to be read as a whole. */
import { runCommand } from "#internal/sandbox/mod.ts";
import type { CommandEnd, Sandbox } from "#internal/sandbox/mod.ts";

/** Output that is read for problems and counts, bytes; of more, the beginning and the end. */
const READ_BYTES = 8 << 20;
/** Characters of the end of the output that an answer shows. */
const LAST_LENGTH = 6_000;
/** Colours and other control sequences of terminals. */
// deno-lint-ignore no-control-regex -- they are what is looked for
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]/g;
/** What a shell gives for a program that is not there. */
const NOT_FOUND = 127;

/** What came of it. */
export interface CheckRun {
  readonly end: CommandEnd;
  /** All that it printed, both streams in order, without colours. */
  readonly output: string;
}

/** Runs a command by the shell. @throws {SandboxError} as `runCommand` */
export async function runCheck(
  sandbox: Sandbox,
  command: string,
  signal: AbortSignal,
): Promise<CheckRun> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  const end = await runCommand(sandbox, { argv: ["/bin/sh", "-c", `{ ${command}\n} 2>&1`] }, {
    signal,
    onOutput(piece) {
      if (bytes < READ_BYTES) text += decoder.decode(piece, { stream: true });
      bytes += piece.length;
    },
  });
  if (bytes > READ_BYTES) text += `\n${new TextDecoder().decode(end.stdout.tail)}`;
  return { end, output: text.replaceAll("\r\n", "\n").replace(SEQUENCES, "") };
}

/** How a run ended that did not simply end: its status, and what that means. */
export function endText({ status, stopped }: CommandEnd, timeMs: number): string {
  if (stopped === "time") return `stopped by the time limit of ${Math.round(timeMs / 1_000)} s`;
  if (stopped === "cancelled") return "stopped";
  if (status === NOT_FOUND) {
    return "exit status 127: a program is not in the sandbox; a folder with it is shown there by " +
      "--sandbox-read";
  }
  return `exit status ${status}`;
}

/** The end of an output, from the beginning of a line on. */
export function lastOf(output: string): string {
  const text = output.trimEnd();
  if (text.length <= LAST_LENGTH) return text;
  const cut = text.slice(-LAST_LENGTH);
  return `…\n${cut.slice(cut.indexOf("\n") + 1)}`.toWellFormed();
}
