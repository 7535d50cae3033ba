/** The command line in a real process. */
import process from "node:process";
import { readEnvironment, terminalFacts } from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import type { Program } from "./context.ts";
import { EXIT } from "./errors.ts";
import { readAtMost } from "./standard_input.ts";
import type { TextSink } from "./text_sink.ts";
import { runCli } from "./run_cli.ts";

/** Runs the words this process was started with and sets its exit code. */
export async function runMain(program: Program): Promise<void> {
  const env = readEnvironment();
  const stdout = sinkOf("stdout", env);
  const stderr = sinkOf("stderr", env);
  const code = await runCli(process.argv.slice(2), {
    program,
    env,
    cwd: process.cwd(),
    stdout,
    stderr,
    readStdin: (mostBytes, signal) => readAtMost(process.stdin, mostBytes, signal),
    exit: (now) => process.exit(now),
  });
  process.exitCode = code;
  // A read of standard input that nobody waits for any more would hold the process.
  if (code === EXIT.interrupted || code === EXIT.terminated) {
    await Promise.all([stdout.flush?.(), stderr.flush?.()]);
    process.exit(code);
  }
}

/** A stream of this process. What is written after a failed write is dropped. */
function sinkOf(name: "stdout" | "stderr", env: Environment): TextSink {
  const { isTty, columns, colour } = terminalFacts(name, env);
  const stream = process[name];
  const broken = new AbortController();
  let out: Promise<void> = Promise.resolve();
  const fail = (error: NodeJS.ErrnoException): void => broken.abort(error.code ?? error.message);
  // Without a listener a failed write would end the process.
  stream.on("error", fail);
  return {
    isTty,
    columns,
    colour,
    broken: broken.signal,
    flush: () => out,
    write(text) {
      if (broken.signal.aborted) return;
      out = new Promise((done) => {
        try {
          stream.write(text, (error) => {
            if (error) fail(error);
            done();
          });
        } catch (error) {
          // Deno throws what Node hands to the callback.
          fail(error as NodeJS.ErrnoException);
          done();
        }
      });
    },
  };
}
