/**
 * Child processes. A child leads a process group of its own, so that stopping it stops what it has
 * started too, and the signals a terminal sends to this process's group do not reach it.
 */
import type { ChildProcess } from "node:child_process";
import process from "node:process";
import type { Duplex, Readable, Writable } from "node:stream";
import { SionError, toHex } from "#internal/core/mod.ts";
import type { Environment } from "./environment.ts";
import { codeOf } from "./error_code.ts";
import { killMarked } from "./marked_processes.ts";
import { systemRandom } from "./random.ts";

/** `spawn-failed`: the program could not be started; `data.reason` is the system's code. */
export type ChildErrorCode = "spawn-failed";

/** Time between asking a child to end and killing it, in milliseconds. */
const STOP_GRACE_MS = 2_000;
/** How long output is waited for that something outside of an ended group holds open, in milliseconds. */
const HELD_OUTPUT_MS = 2_000;
/** Of a mark: nobody else's environment has it by chance. */
const MARK_BYTES = 16;

/** What to start. */
export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the child. */
  readonly env: Environment;
  /**
   * A variable that marks it, and what it starts, with a value of its own: with that also what leaves
   * the group is stopped, where the system shows environments (Linux).
   */
  readonly mark?: string;
  /** Where its standard error goes. @default "pipe" */
  readonly stderr?: "pipe" | "inherit" | "ignore";
  /** How many further pipes it gets, as its descriptors from 3 on. @default none */
  readonly pipes?: number;
}

/** What is sent to whole groups. */
export type GroupSignal = "SIGINT" | "SIGTERM" | "SIGKILL";

/** How a child ended: one of the two is set. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running child. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Empty unless `stderr` is "pipe". */
  readonly stderr: Readable | null;
  /** The further pipes, in order. */
  readonly pipes: readonly Duplex[];
  /** Resolves when the child itself has ended, though what it left may still write. */
  readonly ended: Promise<ChildExit>;
  /** Resolves when the child has ended and its output is read. */
  readonly exited: Promise<ChildExit>;
  /** Sends a signal to the child's whole group; one that is gone is no error. */
  kill(signal: GroupSignal): void;
  /**
   * SIGTERM, and SIGKILL after `graceMs` (default 2000); resolves when all of its group, and all that its
   * mark is found on, is ended and its output is read. What left the group unmarked holds up nobody.
   */
  stop(graceMs?: number): Promise<ChildExit>;
}

/**
 * Starts a program. Disposing of the child stops it.
 * @throws {SionError} `spawn-failed`.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  // Loaded at first use: most programs start no children, and the module is a large one.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { mark: name } = options;
  const mark = name === undefined ? undefined : toHex(systemRandom(MARK_BYTES));
  const child = spawn(options.command, [...options.args], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...options.env, ...(name === undefined ? {} : marked(options.env, name, mark)) },
    detached: true,
    stdio: [
      "pipe",
      "pipe",
      options.stderr ?? "pipe",
      ...Array<"pipe">(options.pipes ?? 0).fill("pipe"),
    ],
  });
  const ended = new Promise<ChildExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const exited = new Promise<ChildExit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  await started(child, options.command);
  // A child that ends early closes its input: that is its exit's business, not an error here.
  child.stdin?.on("error", () => {});
  return handleOf(child, { ended, exited, mark });
}

/** Marks add up, so that what was started by what was started is found by either. */
function marked(env: Environment, name: string, mark = ""): Environment {
  return { [name]: [env[name] ?? "", mark].filter((each) => each !== "").join(",") };
}

/** Sends a signal to a process group; one that is gone is no error. */
export function signalGroup(leader: number, signal: GroupSignal): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

function started(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => {
      const reason = codeOf(cause);
      reject(
        new SionError<ChildErrorCode>("spawn-failed", `Cannot start ${command}: ${reason}`, {
          cause,
          data: { reason },
        }),
      );
    });
  });
}

function handleOf(
  child: ChildProcess,
  { ended, exited, mark }: {
    readonly ended: Promise<ChildExit>;
    readonly exited: Promise<ChildExit>;
    readonly mark: string | undefined;
  },
): Child {
  const pid = child.pid as number;
  const kill = (signal: GroupSignal): void => signalGroup(pid, signal);
  const stop = async (graceMs = STOP_GRACE_MS): Promise<ChildExit> => {
    kill("SIGTERM");
    const timer = setTimeout(() => kill("SIGKILL"), graceMs);
    await ended;
    clearTimeout(timer);
    // The leader is gone; whatever of its group ignored the request goes now.
    kill("SIGKILL");
    if (mark !== undefined) await killMarked(mark);
    const held = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, HELD_OUTPUT_MS);
    const exit = await exited;
    clearTimeout(held);
    return exit;
  };
  return {
    pid,
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr,
    pipes: child.stdio.slice(3) as Duplex[],
    ended,
    exited,
    kill,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}
