/** What comes in, read whole: bounded, and given up when the command is stopped. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { concatBytes, SionError, utf8Text } from "#internal/core/mod.ts";
import { codeOf, sleep } from "#internal/runtime/mod.ts";
import type { CommandContext } from "./context.ts";
import { usageError } from "./errors.ts";

/** How often a pipe is asked whether more came, ms. */
const PIPE_POLL_MS = 20;
const PIECE_BYTES = 65_536;

/** What a command reads with. */
type Reading = Pick<CommandContext, "cwd" | "readStdin" | "signal">;

/**
 * All bytes of what an argument names: a file, a pipe like `<(pass show savings)`, or `-` for
 * standard input.
 * @param wanted what to give instead, for the error: `a file that holds a seed`.
 * @throws {SionError} `usage` when it cannot be read or has more than `mostBytes`
 */
export async function readGiven(
  { cwd, readStdin, signal }: Reading,
  given: string,
  mostBytes: number,
  wanted: string,
): Promise<Uint8Array> {
  if (given === "-") return await readStdin(mostBytes);
  try {
    return await readPathAtMost(resolve(cwd, given), mostBytes, signal, given);
  } catch (cause) {
    if (cause instanceof SionError || signal.aborted) throw cause;
    throw usageError(`cannot read ${given} (${codeOf(cause)}): give ${wanted}`);
  }
}

/**
 * Bytes as text.
 * @param what what the error names
 * @param wanted what to give instead, for the error: `a list of payees`.
 * @throws {SionError} `usage` when they are not UTF-8
 */
export function givenText(bytes: Uint8Array, what: string, wanted: string): string {
  try {
    return utf8Text(bytes);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(`${what} is no UTF-8 text: give ${wanted}; nothing was sent`);
  }
}

/**
 * All bytes of a file or a pipe, as `readAtMost`. Nothing here blocks: a thread that waits for a
 * pipe's writer would hold the process when it is to end.
 */
export async function readPathAtMost(
  path: string,
  mostBytes: number,
  signal: AbortSignal,
  what: string,
): Promise<Uint8Array> {
  return await readAtMost(piecesOf(path, signal), mostBytes, signal, what);
}

async function* piecesOf(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  for (;;) {
    const piece = new Uint8Array(PIECE_BYTES);
    try {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      await sleep(PIPE_POLL_MS, signal);
    }
  }
}

/**
 * All bytes of a stream.
 * @param what what the error names. @default standard input
 * @throws {SionError} `usage` when there are more than `mostBytes`; the signal's reason when it
 * aborts, even if nothing ever comes.
 */
export async function readAtMost(
  input: AsyncIterable<unknown>,
  mostBytes: number,
  signal: AbortSignal,
  what = "standard input",
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const iterator = input[Symbol.asyncIterator]();
  const stopped = aborted(signal);
  for (;;) {
    const next = await Promise.race([iterator.next(), stopped]);
    if (next.done === true) return concatBytes(...chunks);
    const chunk = next.value as Uint8Array;
    size += chunk.length;
    if (size > mostBytes) {
      // Not awaited: a pending read of a pipe cannot be given up in every runtime.
      Promise.resolve(iterator.return?.()).catch(() => {});
      throw usageError(
        `${what} has more than ${mostBytes} bytes: give what this command asks for`,
      );
    }
    chunks.push(chunk);
  }
}

/**
 * The lines of a stream, without their ends; the last one may lack its own.
 * @param mostBytes of one line
 * @throws {SionError} `usage` when a line is longer or no UTF-8; the signal's reason when it aborts
 */
export async function* readLines(
  input: AsyncIterable<unknown>,
  mostBytes: number,
  signal: AbortSignal,
): AsyncGenerator<string, undefined> {
  const iterator = input[Symbol.asyncIterator]();
  const stopped = aborted(signal);
  let rest: Uint8Array = new Uint8Array();
  for (;;) {
    const next = await Promise.race([iterator.next(), stopped]);
    if (next.done === true) break;
    rest = concatBytes(rest, next.value as Uint8Array);
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      yield lineText(rest.subarray(0, end), mostBytes);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > mostBytes) lineText(rest, mostBytes);
  }
  if (rest.length > 0) yield lineText(rest, mostBytes);
  return undefined;
}

const NEWLINE = 0x0a;

function lineText(bytes: Uint8Array, mostBytes: number): string {
  if (bytes.length > mostBytes) {
    throw usageError(
      `a line of standard input has more than ${mostBytes} bytes: give shorter ones`,
    );
  }
  try {
    return utf8Text(bytes).replace(/\r$/, "");
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError("a line of standard input is no UTF-8 text: give words");
  }
}

/** Rejects with the signal's reason when it aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  stopped.catch(() => {});
  return stopped;
}
