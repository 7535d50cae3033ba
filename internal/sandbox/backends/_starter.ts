/**
 * A small process that starts sandboxes for the runtime, which itself takes long to start anything: the
 * system copies what a large process has mapped, on the thread that everything else waits for. It is
 * outside of every sandbox, and goes, with all that it started, when its input ends: when the runtime does.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { Child, ChildExit } from "#internal/runtime/mod.ts";
import {
  endNamedPipe,
  openNamedPipe,
  readsNamedPipes,
  signalGroup,
  startChild,
} from "#internal/runtime/mod.ts";
import type { Launch } from "./_launcher.ts";
import { firstLine } from "./_session_space.ts";
import { HAS_PIPES, startingArguments } from "./_launcher.ts";

/** Sandboxes that one starts before another takes its place: each has its pipes from the beginning. */
const MOST = 8;

/** What is done with a child that leads a process group, whoever started it. */
export type StartedChild = Pick<Child, "stdin" | "stdout" | "stderr" | "exited"> & {
  kill(signal: "SIGKILL"): void;
};

/** Starts sandboxes that are all of one kind. */
interface Starter {
  readonly launch: Launch;
  /** True when it can start no more, or is gone. */
  readonly isUsedUp: boolean;
  /** Starts one. @param line what its script is told */
  start(line: string): StartedChild;
  /** Ends it, once all that it started has ended: it would take those along. */
  end(): Promise<void>;
}

/** The starters of an open sandbox, one after the other. */
export class Starters {
  readonly #parts: StarterParts;
  readonly #ends: Promise<void>[] = [];
  #current: Starter | undefined;
  #made = 0;

  constructor(parts: StarterParts) {
    this.#parts = parts;
  }

  /**
   * Starts a sandbox. Not to be called while a call is under way.
   * @throws {SionError} `spawn-failed`
   */
  async start(launch: Launch, line: string): Promise<StartedChild> {
    const current = this.#current;
    if (current?.isUsedUp === false && isDeepStrictEqual(current.launch, launch)) {
      return current.start(line);
    }
    if (current !== undefined) this.#ends.push(current.end());
    this.#current = undefined;
    this.#current = await startStarter(this.#parts, launch, ++this.#made);
    return this.#current.start(line);
  }

  /** Ends them; resolves when all that they started has ended too. */
  async end(): Promise<void> {
    await Promise.all([...this.#ends, this.#current?.end()]);
  }
}

/** What starters are started with. */
interface StarterParts {
  /** bash, and what enters the space before it. */
  readonly command: readonly string[];
  /** Where their named pipes are made. */
  readonly folder: string;
}

async function startStarter(
  { command: [command = "", ...words], folder }: StarterParts,
  launch: Launch,
  number: number,
): Promise<Starter> {
  const pipes = join(folder, `pipes-${number}`);
  await mkdir(pipes, { mode: 0o700 });
  const child = await startChild({
    command,
    args: [...words, ...startingArguments(launch, MOST, readsNamedPipes ? pipes : undefined)],
    cwd: "/",
    env: {},
    stderr: "ignore",
    pipes: 4 * MOST,
  });
  // What is told one that is gone is told nobody: its pipes end.
  for (const pipe of [child.stdin, ...child.pipes]) pipe.on("error", () => {});
  const hasNamed = await firstLine(child.stdout) === HAS_PIPES;
  const started: Promise<unknown>[] = [];
  let isGone = false;
  void child.ended.then(() => isGone = true);
  return {
    launch,
    get isUsedUp() {
      return isGone || started.length >= MOST;
    },
    start(line) {
      const which = started.length;
      const [stdin, out, err, status] = child.pipes.slice(4 * which, 4 * which + 4);
      if (!stdin || !out || !err || !status) throw new TypeError("Cannot start a sandbox: used up");
      const outputs = hasNamed
        ? namedPipes([join(pipes, `${which}.out`), join(pipes, `${which}.err`)])
        : { stdout: out, stderr: err };
      const one = startedOn({ stdin, status, ...outputs });
      started.push(one.exited);
      child.stdin.write(line);
      return one;
    },
    async end() {
      await Promise.all(started);
      child.stdin.end();
      for (const pipe of child.pipes) pipe.destroy();
      await child.exited;
      await rm(pipes, { recursive: true, force: true });
    },
  };
}

/** The pipes of one sandbox. */
interface Pipes {
  readonly stdin: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What is said of which process it is, and how it ended. */
  readonly status: Duplex;
  /** Lets the outputs end. */
  readonly endOutputs?: () => void;
}

/** Opened before whoever writes to them is started, who waits for that. */
function namedPipes(
  [out, err]: readonly [string, string],
): Pick<Pipes, "stdout" | "stderr" | "endOutputs"> {
  const endOutputs = (): void => {
    endNamedPipe(out);
    endNamedPipe(err);
  };
  return { stdout: openNamedPipe(out), stderr: openNamedPipe(err), endOutputs };
}

/** What was started on these pipes. */
function startedOn({ stdin, stdout, stderr, status, endOutputs }: Pipes): StartedChild {
  let said = "";
  let killed = false;
  const kill = (): void => {
    killed = true;
    const pid = Number(/^(\d+)\n/.exec(said)?.[1] ?? 0);
    // Before it has said which it is, it is killed as soon as it does.
    if (pid > 1 && !status.destroyed) signalGroup(pid, "SIGKILL");
  };
  status.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (killed) kill();
  });
  // At its end the rest is as it is for children of this process: what nobody reads is dropped.
  const ended = closed(status).then(() => {
    stdin.destroy();
    endOutputs?.();
    for (const output of [stdout, stderr]) {
      if (output.readableFlowing === null) output.resume();
    }
  });
  return {
    stdin,
    stdout,
    stderr,
    kill,
    exited: Promise.all([ended, closed(stdout), closed(stderr)]).then(() => exitIn(said)),
  };
}

function closed(pipe: Readable): Promise<void> {
  return pipe.closed ? Promise.resolve() : new Promise((resolve) => pipe.once("close", resolve));
}

/** bubblewrap says how its command ended, unless it was killed itself. */
function exitIn(said: string): ChildExit {
  const code = /"exit-code": *(\d+)/.exec(said)?.[1];
  return code === undefined
    ? { code: null, signal: "SIGKILL" }
    : { code: Number(code), signal: null };
}
