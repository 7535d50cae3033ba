/** The command line in a real process. */
import process from "node:process";
import {
  inputIsTerminal,
  readEnvironment,
  readHidden,
  terminalFacts,
} from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import type { Program } from "./context.ts";
import { EXIT } from "./errors.ts";
import type { TextSink } from "./text_sink.ts";
import type { CliProcess } from "./run_cli.ts";
import { runCli, runProgram } from "./run_cli.ts";

/** Where a program is from, by what bundled it; unknown to the bundler when the source runs. */
const ORIGINS: { readonly [build: string]: Program["origin"] } = {
  npm: "npm",
  deno: "binary",
  node: "binary",
};

/** Runs the words this process was started with and sets its exit code. @param url of its entry file. */
export function runMain(url: string): Promise<void> {
  return runProcess(url, runCli);
}

/** The same for the program that charges for HTTP, and does nothing else. */
export async function runGatewayMain(url: string): Promise<void> {
  const { gatewayProgram } = await import("./gateway_program.ts");
  const command = await gatewayProgram();
  await runProcess(url, (words, host) => runProgram(command, words, host));
}

async function runProcess(
  url: string,
  run: (words: readonly string[], host: CliProcess) => Promise<number>,
): Promise<void> {
  // The bundler writes the word in its place.
  const build = (globalThis as { SION_BUILD?: string }).SION_BUILD ?? "";
  const program: Program = { url, origin: ORIGINS[build] ?? "source" };
  const env = readEnvironment();
  const stdout = sinkOf("stdout", env);
  const stderr = sinkOf("stderr", env);
  let readsLines = false;
  const code = await run(process.argv.slice(2), {
    program,
    env,
    cwd: process.cwd(),
    stdout,
    stderr,
    async readStdin(mostBytes, signal) {
      const { readAtMost } = await import("./standard_input.ts");
      return await readAtMost(process.stdin, mostBytes, signal);
    },
    async *readLines(mostBytes, signal) {
      readsLines = true;
      const { readLines } = await import("./standard_input.ts");
      yield* readLines(process.stdin, mostBytes, signal);
    },
    inputIsTty: inputIsTerminal(),
    ...(inputIsTerminal() ? { readHidden } : {}),
    exit: (now) => process.exit(now),
  });
  process.exitCode = code;
  // A read of standard input that nobody waits for any more would hold the process.
  if (readsLines || code === EXIT.interrupted || code === EXIT.terminated) {
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
