/** Runs a server over a pair of streams, from the first line until the client is done. */
import { setTimeout as sleep } from "node:timers/promises";
import { type JsonValue, stringifyJson } from "#internal/core/mod.ts";
import { connect } from "./connection.ts";
import { type LineSink, readLines } from "./lines.ts";
import type { ToolContext } from "./tool.ts";
import { type ServerDefinition, toolServer } from "./tool_server.ts";

/** The streams of a server, and what ends it. */
export interface ServerStreams {
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: LineSink;
  /** Aborted to stop: what runs is aborted, answered and flushed. */
  readonly stop?: AbortSignal;
  /** How long calls may still run after the input ended, ms. @default 120000 */
  readonly graceMs?: number;
}

/** Above what a transaction may take to execute or expire: 20 Pulses of 4 s. */
const GRACE_MS = 120_000;

/** Why a server ended: its client closed the input, or it was stopped while the input was open. */
export type ServerEnd = "input-ended" | "stopped";

/**
 * Serves until the input ends, `stop` is aborted or the reader of the output is gone. After the end
 * of input, what was asked is still answered: `echo … | sion mcp` gets its answer. Resolves when the
 * last answer has left the process.
 */
export async function runMcpServer<Context extends ToolContext>(
  definition: ServerDefinition<Context>,
  streams: ServerStreams,
): Promise<ServerEnd> {
  const { input, output, graceMs = GRACE_MS } = streams;
  const connection = connect(
    toolServer(definition),
    (message: JsonValue) => output.write(stringifyJson(message)),
  );
  const stops = [output.closed, ...(streams.stop ? [streams.stop] : [])];
  const stop = AbortSignal.any(stops);
  try {
    const lines = readLines(input);
    for (;;) {
      await unlessAborted(stop, output.ready());
      const next = await unlessAborted(stop, lines.next());
      if (next === undefined || next.done === true) break;
      connection.receive(next.value);
    }
    connection.inputEnded();
    await within(graceMs, unlessAborted(stop, connection.idle()));
    connection.abort();
    await within(LAST_WORDS_MS, connection.idle());
    await unlessAborted(output.closed, output.flush());
    return stop.aborted ? "stopped" : "input-ended";
  } finally {
    connection.close();
    await definition.close?.();
  }
}

/** How long an aborted call may take to answer. */
const LAST_WORDS_MS = 1000;

/**
 * What `work` gives, or undefined as soon as the signal is aborted; a failure of it counts as an
 * abort. Unlike a race with one promise of the abort, it leaves nothing behind on the signal, which
 * lives as long as the server.
 */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const finish = (value: T | undefined): void => {
      signal.removeEventListener("abort", abort);
      resolve(value);
    };
    const abort = (): void => finish(undefined);
    if (signal.aborted) return resolve(undefined);
    signal.addEventListener("abort", abort);
    work.then(finish, abort);
  });
}

/** Waits for `work`, but no longer than `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const { signal } = enough;
  await Promise.race([work, sleep(ms, undefined, { signal }).catch(() => undefined)]);
  enough.abort();
}
