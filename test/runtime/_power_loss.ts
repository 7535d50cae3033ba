/**
 * `node:fs/promises` over a disk that may lose power: a file's bytes are safe once the file was
 * synced, a name once its folder was. At the operation that is chosen, the power goes: it and every
 * later one fails, and what the disk has then is what was safe, with some, none or all of the rest.
 */
import { constants, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { writeFileSync } from "node:fs";
import type * as Promises from "node:fs/promises";
import { dirname, join } from "node:path";

/** What of the work that was not safe the disk kept: nothing, everything, or what chance decides. */
export type Kept = "nothing" | "everything" | (() => boolean);

/** Name → number of its file or folder. */
type Names = Map<string, number>;

class PowerCut extends Error {
  readonly code = "EPOWER";
}

/** What is safe under one folder, and the operations so far. */
export class Disk {
  readonly #root: string;
  readonly #files = new Map<number, Uint8Array>();
  readonly #folders = new Map<number, Names>();
  /** Operations that change something, in order. */
  readonly done: string[] = [];
  /** The power goes before the operation of this number, from 0. */
  readonly #cutAt: number;

  constructor(root: string, cutAt: number) {
    this.#root = root;
    this.#cutAt = cutAt;
    this.settle(root);
  }

  get cut(): boolean {
    return this.done.length > this.#cutAt;
  }

  /** Everything under a path is safe; it was written by something that is trusted with it. */
  settle(path: string): void {
    const { ino } = statSync(path);
    if (!statSync(path).isDirectory()) return void this.#files.set(ino, this.#bytes(path));
    this.#folders.set(ino, namesIn(path));
    for (const name of readdirSync(path)) this.settle(join(path, name));
  }

  /** Called by each operation that changes something. */
  begin(operation: string): void {
    this.done.push(operation);
    if (this.cut) throw new PowerCut(`the power is gone at ${operation}`);
  }
  isUnder(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }
  synced(path: string): void {
    const stats = statSync(path);
    if (stats.isDirectory()) this.#folders.set(stats.ino, namesIn(path));
    else this.#files.set(stats.ino, this.#bytes(path));
  }
  /** A number may be an old file's: what is new has nothing safe. */
  created(path: string): void {
    const { ino } = statSync(path);
    this.#files.delete(ino);
    this.#folders.delete(ino);
  }

  /** Makes the folder what the disk has when the power is back. */
  lose(kept: Kept): void {
    const keeps = typeof kept === "function" ? kept : () => kept === "everything";
    const held = new Map<number, Uint8Array>();
    const now = new Map<number, Names>();
    const collect = (path: string): void => {
      const { ino } = statSync(path);
      if (!statSync(path).isDirectory()) return void held.set(ino, this.#bytes(path));
      now.set(ino, namesIn(path));
      for (const name of readdirSync(path)) collect(join(path, name));
    };
    collect(this.#root);
    const put = (path: string, ino: number): void => {
      if (!now.has(ino) && !this.#folders.has(ino)) {
        const safe = this.#files.get(ino) ?? new Uint8Array();
        return writeFileSync(path, keeps() ? held.get(ino) ?? safe : safe, { mode: 0o600 });
      }
      mkdirSync(path, { recursive: true, mode: 0o700 });
      const safe = this.#folders.get(ino) ?? new Map<string, number>();
      const volatile = now.get(ino) ?? safe;
      for (const name of new Set([...safe.keys(), ...volatile.keys()])) {
        const number = (keeps() ? volatile : safe).get(name);
        if (number !== undefined) put(join(path, name), number);
      }
    };
    const { ino } = statSync(this.#root);
    for (const name of readdirSync(this.#root)) {
      rmSync(join(this.#root, name), { recursive: true });
    }
    put(this.#root, ino);
  }

  #bytes(path: string): Uint8Array {
    return new Uint8Array(readFileSync(path));
  }
}

function namesIn(path: string): Names {
  return new Map(readdirSync(path).map((name) => [name, statSync(join(path, name)).ino]));
}

let disk: Disk | undefined;

/** Calls of this module under way. */
let running = 0;
/** Turns of the thread without a call after which nothing goes on any more. */
const QUIET_TURNS = 8;

/** Has the operations of `body`, and of what it leaves behind when it fails, run on a disk. */
export async function onDisk<T>(on: Disk, body: () => Promise<T>): Promise<T> {
  disk = on;
  try {
    return await body();
  } finally {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      if (running > 0) quiet = 0;
      await new Promise((done) => setImmediate(done));
    }
    disk = undefined;
  }
}

async function counted<T>(call: () => Promise<T>): Promise<T> {
  running++;
  try {
    return await call();
  } finally {
    running--;
  }
}

type FileHandle = Promises.FileHandle;

/** The module's functions, of which those that change something are counted and may fail. */
export function overDisk(real: typeof Promises): typeof Promises {
  const changing = <A extends readonly unknown[], R>(
    name: string,
    run: (...args: A) => Promise<R>,
  ) =>
  async (...args: A): Promise<R> => {
    const at = disk;
    if (at === undefined || !at.isUnder(String(args[0]))) return await run(...args);
    at.begin(`${name} ${String(args[0])}`);
    return await counted(() => run(...args));
  };

  const handleOf = (file: FileHandle, path: string): FileHandle =>
    new Proxy(file, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const changes = name === "writeFile" || name === "sync";
        return async (...args: unknown[]) => {
          const at = disk;
          if (changes) at?.begin(`${name} ${path}`);
          const result: unknown = await counted(() =>
            (value as (...args: unknown[]) => Promise<unknown>).apply(target, args)
          );
          if (name === "sync") at?.synced(path);
          return result;
        };
      },
    });

  const open = async (
    path: string,
    flags?: string | number,
    mode?: number,
  ): Promise<FileHandle> => {
    const at = disk;
    const makes = typeof flags === "string"
      ? flags !== "r"
      : ((flags ?? 0) & constants.O_CREAT) > 0;
    if (at === undefined || !at.isUnder(path)) return await real.open(path, flags, mode);
    if (makes) at.begin(`create ${path}`);
    const file = await counted(() => real.open(path, flags, mode));
    if (makes) at.created(path);
    return handleOf(file, path);
  };

  return {
    ...real,
    open: open as typeof real.open,
    rename: changing("rename", real.rename),
    link: changing("link", real.link),
    unlink: changing("unlink", real.unlink),
    rm: changing("rm", real.rm),
    mkdir: (async (path: string, options?: Parameters<typeof real.mkdir>[1]) => {
      const at = disk;
      if (at === undefined || !at.isUnder(path)) return await real.mkdir(path, options);
      at.begin(`mkdir ${path}`);
      const first = await counted(() => real.mkdir(path, options));
      for (let made = path; first !== undefined; made = dirname(made)) {
        at.created(made);
        if (made === first) break;
      }
      return first;
    }) as typeof real.mkdir,
  };
}
