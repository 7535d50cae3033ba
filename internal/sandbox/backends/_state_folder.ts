/** The folder of an open sandbox: what it is made with, and the output that answers had no room for. */
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toHex } from "#internal/core/mod.ts";
import {
  codeOf,
  ensureFolder,
  isProcessAlive,
  processId,
  processSpace,
} from "#internal/runtime/mod.ts";
import { SandboxError } from "../errors.ts";
import type { SandboxMachine } from "./_backend.ts";

/** Apart from every workspace, since it lies in `$SION_HOME`: no command can change its own bounds. */
export interface StateFolder {
  readonly path: string;
  /** Its own name, which no other open sandbox has. */
  readonly name: string;
  /** Shown in the sandbox as `/output`. */
  readonly output: string;
  /** Writes a file that others need not read. */
  write(name: string, content: string | Uint8Array): Promise<string>;
}

/**
 * Makes one, and removes those of processes that are gone.
 * @throws {SandboxError} `sandbox-missing` where it cannot be made; so does `write`
 */
export function makeStateFolder(machine: SandboxMachine): Promise<StateFolder> {
  return orSandboxError(() => make(machine));
}

async function make({ home, random }: SandboxMachine): Promise<StateFolder> {
  const parent = join(home, "sandbox");
  await ensureFolder(parent);
  for (const name of await readdir(parent)) {
    if (isLeftFolder(name)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const name = toHex(random(8));
  const space = processSpace();
  const owner = space === "" ? processId() : `${processId()}.${space}`;
  const path = join(parent, `${owner}-${name}`);
  const output = join(path, "output");
  await mkdir(output, { recursive: true, mode: 0o700 });
  // Whoever a container runs as reads there; the folder around it keeps everybody else out.
  await chmod(output, 0o755);
  return {
    path,
    name,
    output,
    async write(name, content) {
      const file = join(path, name);
      await orSandboxError(() => writeFile(file, content, { mode: 0o600 }));
      return file;
    },
  };
}

/**
 * Whether a folder of this name was left by a process that is gone. Where containers share a home, those of
 * another one may be in use.
 */
export function isLeftFolder(name: string): boolean {
  const [, pid, space] = /^(\d+)(?:\.(\d+))?-/.exec(name) ?? [];
  if (pid === undefined || (space !== undefined && space !== processSpace())) return false;
  return !isProcessAlive(Number(pid));
}

/** A disk that is full, or a home that is not to be written, is the machine's matter. */
async function orSandboxError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new SandboxError(
      "sandbox-missing",
      `the sandbox's own files cannot be written in $SION_HOME/sandbox (${codeOf(cause)}): ` +
        "see whether the disk is full, and who may write there",
      { cause },
    );
  }
}
