/** The command line in a real process. */
import process from "node:process";
import { concatBytes } from "#internal/core/mod.ts";
import { readEnvironment, terminalFacts } from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import type { Program } from "./context.ts";
import type { TextSink } from "./text_sink.ts";
import { runCli } from "./run_cli.ts";

/** Runs the words this process was started with and sets its exit code. */
export async function runMain(program: Program): Promise<void> {
  const env = readEnvironment();
  endQuietlyWithoutReaders();
  process.exitCode = await runCli(process.argv.slice(2), {
    program,
    env,
    cwd: process.cwd(),
    stdout: sinkOf("stdout", env),
    stderr: sinkOf("stderr", env),
    readStdin,
    exit: (code) => process.exit(code),
  });
}

function sinkOf(stream: "stdout" | "stderr", env: Environment): TextSink {
  const { isTty, columns, colour } = terminalFacts(stream, env);
  return { isTty, columns, colour, write: (text) => void process[stream].write(text) };
}

/** Whoever read our output has had enough, as `head` does: that is no error. */
function endQuietlyWithoutReaders(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  process.stderr.on("error", () => {});
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return concatBytes(...chunks);
}
