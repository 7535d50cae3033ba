/** Drives the real `sion` from scripts: one command to its end, and a devnet in a folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { ROOT } from "./_project.ts";

/** The program as a person starts it from a clone. */
export const SION: string = join(ROOT, "scripts/sion");

/** Longest a command of a script may take. */
const COMMAND_LIMIT_MS = 120_000;

/** Longest a devnet may take to say that it is ready. */
const READY_LIMIT_MS = 120_000;

/** Programs that run now. However this process ends, they end with it. */
const running = new Set<ChildProcess>();

/** Starts `sion …` in a place, to be ended with this process at the latest. */
export function spawnSion(
  place: Place,
  args: readonly string[],
  stdin: "ignore" | "pipe" = "ignore",
): ChildProcess {
  if (running.size === 0) process.once("exit", endAll);
  const [program = SION, ...first] = place.program ?? [];
  const child = spawn(program, [...first, ...args], {
    env: environment(place),
    stdio: [stdin, "pipe", "pipe"],
  });
  running.add(child);
  child.once("close", () => {
    running.delete(child);
    if (running.size === 0) process.off("exit", endAll);
  });
  return child;
}

function endAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Where a script's commands keep their state, what they talk to, and what runs them. */
export type Place = {
  readonly home: string;
  readonly node?: string;
  /** Program and first arguments that stand for `sion`. @default the clone's `scripts/sion` */
  readonly program?: readonly string[];
};

/** What one command left. */
export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** The environment that makes a program work in that place only. */
export function environment(place: Place): Record<string, string> {
  const inherited = Object.entries(process.env)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .filter(([name]) => !name.startsWith("SION_"));
  return {
    ...Object.fromEntries(inherited),
    SION_HOME: place.home,
    SION_KEYRING: "off",
    ...(place.node === undefined ? {} : { SION_NODE: place.node }),
    NO_COLOR: "1",
  };
}

/** Runs `sion …` to its end. A command that hangs is ended, and its code is 127. */
export function sion(place: Place, ...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawnSion(place, args);
    const timer = setTimeout(() => child.kill("SIGKILL"), COMMAND_LIMIT_MS);
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => stdout += text);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => stderr += text);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 127, stdout, stderr });
    });
  });
}

/** A running devnet. */
export type Devnet = AsyncDisposable & {
  readonly node: string;
  readonly chain: string;
  readonly chainId: string;
  /** The process that was started: the devnet's own, if the place's program is one process. */
  readonly pid: number;
  /** Stops it as Ctrl-C does and waits for its end; its exit code. */
  readonly stop: () => Promise<number>;
};

/**
 * Starts `sion devnet --json` on a free port and waits for its line.
 * @throws {Error} with what it printed when it ends, or says nothing in time.
 */
export async function startDevnet(place: Place, ...args: readonly string[]): Promise<Devnet> {
  const child = spawnSion(place, ["devnet", "--listen", "127.0.0.1:0", "--json", ...args]);
  const ended = once(child, "close");
  // A start that fails rejects below; nobody may wait for this one then.
  ended.catch(() => {});
  const stop = async (): Promise<number> => {
    child.kill("SIGINT");
    const [code] = await ended as [number | null];
    return code ?? 127;
  };
  try {
    const ready = JSON.parse(await firstLine(child)) as Record<string, string>;
    const { node, chain, chain_id: chainId } = ready;
    if (node === undefined || chain === undefined || chainId === undefined) {
      throw new Error(`the devnet did not start: ${ready["error"] ?? JSON.stringify(ready)}`);
    }
    return {
      node,
      chain,
      chainId,
      pid: child.pid as number,
      stop,
      [Symbol.asyncDispose]: async () => {
        await stop();
      },
    };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    let stderr = "";
    const timer = setTimeout(
      () =>
        reject(new Error(`the devnet is not ready after ${READY_LIMIT_MS / 1000} s\n${stderr}`)),
      READY_LIMIT_MS,
    );
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      act();
    };
    child.on("error", (error) => finish(() => reject(error)));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => stderr += text);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const end = stdout.indexOf("\n");
      if (end >= 0) finish(() => resolve(stdout.slice(0, end)));
    });
    child.on("close", (code) => {
      finish(() => reject(new Error(`the devnet ended with code ${code}: ${stderr.trim()}`)));
    });
  });
}
