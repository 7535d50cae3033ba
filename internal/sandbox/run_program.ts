/**
 * Runs a program of a model's in a sandbox that shows it nothing but programs, and makes its calls for
 * it. What comes from it is a stranger's: each line is bounded and read as data, it is read on only
 * when the call before was answered, and one that is no call ends the program.
 */
import type { Readable, Writable } from "node:stream";
import {
  concatBytes,
  OUTSIDE_DEPTH,
  parseJson,
  stringifyJson,
  utf8Text,
} from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import * as z from "zod";
import { PYTHON_ARGUMENTS } from "./python_host.ts";
import { SandboxError } from "./errors.ts";
import type { Sandbox, Sandboxed } from "./sandbox.ts";

/** Bytes of a line with a call. */
const CALL_BYTES = 256 << 10;
const LINE_FEED = 0x0a;

/** A program and what it is told of. */
export interface Program {
  readonly code: string;
  /** Names of the tools that it can call, for `dir(tools)`. */
  readonly tools: readonly string[];
}

/** A call that a program makes. */
export interface ProgramCall {
  readonly tool: string;
  readonly input: JsonValue;
}

/** What a program is told of a call: the tool's text, or why there is none. */
export interface ProgramAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** Makes a program's calls, one at a time. The signal is aborted when nobody waits for the answer. */
export type ProgramCaller = (call: ProgramCall, signal: AbortSignal) => Promise<ProgramAnswer>;

/** Why a program was ended before its end: `pipe` when it wrote what is no call where calls go. */
export type ProgramStop = "time" | "cancelled" | "pipe";

/** Text that was kept of a longer one: its first characters, its last, and how many there were. */
export interface KeptText {
  readonly head: string;
  readonly tail: string;
  readonly length: number;
}

/** How a program ended and what it printed, both streams in the order they came. */
export interface ProgramEnd {
  /** As a shell counts it. */
  readonly status: number;
  readonly stopped?: ProgramStop;
  readonly outOfMemory: boolean;
  readonly output: KeptText;
}

const callShape = z.strictObject({
  tool: z.string().min(1).max(128),
  input: z.record(z.string(), z.unknown()),
});

/**
 * Runs a program to its end, or the sandbox's time limit.
 * @param outputLength characters kept of what it prints, half of them its beginning
 * @throws {SandboxError} `sandbox-missing` when there is no Python, or it could not be started
 */
export async function runProgram(
  sandbox: Sandbox,
  program: Program,
  caller: ProgramCaller,
  { signal, outputLength }: { readonly signal: AbortSignal; readonly outputLength: number },
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const { python, limits } = sandbox;
  if (python === undefined) {
    throw new SandboxError("sandbox-missing", "there is no Python 3 in the sandbox");
  }
  const running = await sandbox.start({
    argv: [python, ...PYTHON_ARGUMENTS],
    input: "pipe",
    bare: true,
  });
  let stopped: ProgramStop | undefined;
  const over = new AbortController();
  const stop = (why: ProgramStop): void => {
    stopped ??= why;
    over.abort();
    running.kill();
  };
  const timer = setTimeout(() => stop("time"), limits.timeMs);
  const cancel = (): void => stop("cancelled");
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  void running.exited.then(() => over.abort());
  try {
    const [output, { status, outOfMemory }] = await Promise.all([
      keptText(running.stderr, outputLength),
      running.exited,
      serve(running, program, caller, { over: over.signal, refuse: () => stop("pipe") }),
    ]);
    return { status, outOfMemory, output, ...(stopped === undefined ? {} : { stopped }) };
  } catch (error) {
    stop("cancelled");
    await running.exited;
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}

/** Answers calls until the program closes its pipe, and refuses it for the first line that is none. */
async function serve(
  { stdin, stdout }: Pick<Sandboxed, "stdin" | "stdout">,
  { code, tools }: Program,
  caller: ProgramCaller,
  { over, refuse }: { readonly over: AbortSignal; readonly refuse: () => void },
): Promise<void> {
  const lines = new LineCutter(CALL_BYTES);
  await send(stdin, { code, tools }, over);
  for await (const piece of stdout as AsyncIterable<Uint8Array>) {
    for (const line of lines.push(piece)) {
      // What comes from one that is over is read, since a full pipe keeps it, and goes nowhere.
      if (over.aborted) break;
      const call = line === undefined ? undefined : callIn(line);
      if (call === undefined) {
        refuse();
        break;
      }
      const { ok, text } = await caller(call, over);
      await send(stdin, { ok, text }, over);
    }
  }
}

/** Writes a line and waits until the program took it, or is over. */
async function send(stdin: Writable, value: JsonValue, over: AbortSignal): Promise<void> {
  if (over.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      over.removeEventListener("abort", done);
      resolve();
    };
    over.addEventListener("abort", done);
    stdin.write(`${stringifyJson(value)}\n`, done);
  });
}

/** The call that a line holds, if it holds one. */
function callIn(line: string): ProgramCall | undefined {
  try {
    const read = callShape.safeParse(parseJson(line, { maxDepth: OUTSIDE_DEPTH }));
    return read.success ? { tool: read.data.tool, input: read.data.input as JsonValue } : undefined;
  } catch {
    return undefined;
  }
}

/** Cuts bytes into lines of bounded length. */
class LineCutter {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** The lines that a piece completes; `undefined` for one that is too long or no UTF-8. */
  *push(piece: Uint8Array): Generator<string | undefined> {
    let start = 0;
    for (;;) {
      const end = piece.indexOf(LINE_FEED, start);
      const part = piece.subarray(start, end === -1 ? piece.length : end);
      this.#size += part.length;
      if (this.#size > this.#most) {
        this.#pieces = [];
        yield undefined;
      } else if (part.length > 0) {
        this.#pieces.push(part.slice());
      }
      if (end === -1) return;
      yield textIn(concatBytes(...this.#pieces));
      this.#pieces = [];
      this.#size = 0;
      start = end + 1;
    }
  }
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return utf8Text(bytes);
  } catch {
    return undefined;
  }
}

/** Reads a stream to its end and keeps the first and the last characters of it. */
async function keptText(stream: Readable, most: number): Promise<KeptText> {
  const half = most >> 1;
  const decoder = new TextDecoder();
  const kept = { head: "", tail: "", length: 0 };
  const push = (text: string): void => {
    const fits = text.slice(0, Math.max(0, half - kept.head.length));
    kept.head += fits;
    kept.tail = (kept.tail + text.slice(fits.length)).slice(-half);
    kept.length += text.length;
  };
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    push(decoder.decode(piece, { stream: true }));
  }
  push(decoder.decode());
  return kept;
}
