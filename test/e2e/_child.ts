/** Starts a source file of the tests as a process of the runtime that the tests run on. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isDeno } from "#internal/runtime/mod.ts";

/** Program and arguments that run `file` (relative to this folder). */
export function runtimeCommand(file: string, ...args: string[]): [string, ...string[]] {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  return isDeno
    ? [process.execPath, "run", "-A", "--quiet", "--no-check", "--config", config, path, ...args]
    : [process.execPath, path, ...args];
}

/** How a process ended, with all it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running process. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the condition holds, checked at each output. Rejects when the process ends first. */
  until(condition: () => boolean): Promise<void>;
}

/**
 * Sends a signal to a process, or does nothing when it has ended, as `ChildProcess.kill` does. Not by
 * that: Deno reports a process as killed by it that ended in order.
 */
export function signalTo(
  child: Child,
  name: "SIGINT" | "SIGTERM" | "SIGKILL" | "SIGSTOP" | "SIGCONT",
): void {
  try {
    process.kill(child.process.pid as number, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Starts a process; its streams are pipes. */
export function start([program, ...args]: readonly [string, ...string[]]): Child {
  const child = spawn(program, args, { env: { ...process.env, NO_COLOR: "1" } });
  let stdout = "";
  let stderr = "";
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
  return {
    process: child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    until(condition) {
      return new Promise((resolve, reject) => {
        const check = (): void => {
          if (condition()) resolve();
        };
        child.stdout.on("data", check);
        child.stderr.on("data", check);
        void ended.then((end) => condition() ? resolve() : reject(new Error(JSON.stringify(end))));
        check();
      });
    },
  };
}

/** Runs a process to its end with the given input. */
export async function runWith(
  input: string,
  command: readonly [string, ...string[]],
): Promise<Ended> {
  const child = start(command);
  child.process.stdin.end(input);
  return await child.ended;
}
