/** Runs one command in a sandbox to its end or its limit, and keeps what it prints within bounds. */
import { open, readdir, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Redactor } from "#internal/core/mod.ts";
import type { KeptOutput } from "./output_keeper.ts";
import { OutputKeeper } from "./output_keeper.ts";
import type { Sandbox, SandboxCommand } from "./sandbox.ts";
import { OUTPUT } from "./sandbox.ts";

/** Output of a command that an answer has room for, bytes, both streams together. */
export const OUTPUT_BYTES = 64 << 10;
/** Output that is put aside of one stream, bytes; what is beyond it is gone. */
const ASIDE_BYTES = 16 << 20;
/** Files of output put aside that are kept; older ones go. */
const ASIDE_FILES = 16;

/** Why a command was ended before its end. */
export type CommandStop = "time" | "cancelled";

/** One stream of a command's output. */
export interface CommandStream extends KeptOutput {
  /** Where in the sandbox more of it can be read, when it is longer than what is kept. */
  readonly aside?: string;
}

/** How a command ended and what it printed. */
export interface CommandEnd {
  /** As a shell counts it. */
  readonly status: number;
  readonly stopped?: CommandStop;
  readonly outOfMemory: boolean;
  readonly stdout: CommandStream;
  readonly stderr: CommandStream;
}

/** What a command is run with. */
export interface RunCommandOptions {
  /** Aborted to end it at once. */
  readonly signal?: AbortSignal;
  /** @default the sandbox's, ms */
  readonly timeMs?: number;
  /** Hears of output as it comes, both streams. */
  readonly onOutput?: (piece: Uint8Array) => void;
  /** Cuts secrets out of each stream before anything of it is kept. @default keeps all of it */
  readonly redactor?: Redactor;
}

/**
 * Runs a command. At the limit, and when it is cancelled, it ends with all that it started.
 * @throws {SandboxError} `sandbox-missing` when it could not be started
 */
export async function runCommand(
  sandbox: Sandbox,
  command: SandboxCommand,
  { signal, timeMs = sandbox.limits.timeMs, onOutput, redactor }: RunCommandOptions = {},
): Promise<CommandEnd> {
  signal?.throwIfAborted();
  const running = await sandbox.start(command);
  let stopped: CommandStop | undefined;
  const stop = (why: CommandStop): void => {
    stopped ??= why;
    running.kill();
  };
  const timer = setTimeout(() => stop("time"), timeMs);
  const cancel = (): void => stop("cancelled");
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  try {
    const [stdout, stderr, { status, outOfMemory }] = await Promise.all([
      keep(redacted(running.stdout, redactor), sandbox.outputFolder, onOutput),
      keep(redacted(running.stderr, redactor), sandbox.outputFolder, onOutput),
      running.exited,
    ]);
    return { status, outOfMemory, stdout, stderr, ...(stopped === undefined ? {} : { stopped }) };
  } catch (error) {
    // What nobody reads any more would wait for that.
    running.kill();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

async function* redacted(
  stream: Readable,
  redactor: Redactor | undefined,
): AsyncGenerator<Uint8Array> {
  const cutting = redactor?.stream();
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    yield cutting === undefined ? piece : cutting.push(piece);
  }
  if (cutting !== undefined) yield cutting.end();
}

/** Reads a stream to its end, whatever comes: a full pipe would stop the command. */
async function keep(
  stream: AsyncIterable<Uint8Array>,
  folder: string,
  onOutput: ((piece: Uint8Array) => void) | undefined,
): Promise<CommandStream> {
  const keeper = new OutputKeeper(OUTPUT_BYTES);
  const aside = new OutputAside(folder);
  try {
    for await (const piece of stream) {
      keeper.push(piece);
      await aside.push(piece);
      onOutput?.(piece);
    }
  } finally {
    await aside.close();
  }
  const kept = keeper.kept();
  return aside.name === undefined ? kept : { ...kept, aside: `${OUTPUT}/${aside.name}` };
}

/**
 * Puts output in a file from when it is too long for an answer, from its first byte on. Where that fails
 * (a full disk) there is no file: the command goes on, and what is between head and tail is left out.
 */
class OutputAside {
  readonly #folder: string;
  #early: Uint8Array[] = [];
  #length = 0;
  #file: FileHandle | undefined;
  #written = 0;
  #failed = false;
  /** The file's, once there is one. */
  name: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async push(piece: Uint8Array): Promise<void> {
    if (this.#failed) return;
    try {
      await this.#put(piece);
    } catch {
      await this.#giveUp();
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #put(piece: Uint8Array): Promise<void> {
    this.#length += piece.length;
    if (this.#file === undefined) {
      this.#early.push(piece.slice());
      if (this.#length <= OUTPUT_BYTES) return;
      await this.#open();
      for (const early of this.#early) await this.#write(early);
      this.#early = [];
      return;
    }
    await this.#write(piece);
  }

  async #giveUp(): Promise<void> {
    const { name } = this;
    this.#failed = true;
    this.name = undefined;
    this.#early = [];
    await this.#file?.close().catch(() => {});
    this.#file = undefined;
    if (name !== undefined) await rm(join(this.#folder, name), { force: true }).catch(() => {});
  }

  async #open(): Promise<void> {
    const numbers = (await readdir(this.#folder)).map((name) => Number.parseInt(name, 10))
      .sort((a, b) => a - b);
    const old = numbers.slice(0, Math.max(0, numbers.length - ASIDE_FILES + 1));
    for (const number of old) await rm(join(this.#folder, `${number}.txt`), { force: true });
    for (let number = (numbers.at(-1) ?? 0) + 1; this.#file === undefined; number++) {
      this.name = `${number}.txt`;
      this.#file = await openNew(join(this.#folder, this.name));
    }
  }

  async #write(piece: Uint8Array): Promise<void> {
    const fits = piece.subarray(0, ASIDE_BYTES - this.#written);
    if (fits.length === 0) return;
    this.#written += fits.length;
    await this.#file?.write(fits);
  }
}

/** A new file, or nothing where the name is taken: two streams may get here at once. */
async function openNew(path: string): Promise<FileHandle | undefined> {
  try {
    // Read in the sandbox, where another user of the machine may stand for its own.
    return await open(path, "wx", 0o644);
  } catch (error) {
    if ((error as { code?: string }).code === "EEXIST") return undefined;
    throw error;
  }
}
