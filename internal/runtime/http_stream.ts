/** One request whose answer's body comes piece by piece. Source: RFC 9112. */
import type { Socket } from "node:net";
import { SionError } from "#internal/core/mod.ts";
import { createHttpParser, type HttpHead } from "./http_parser.ts";
import type { HttpRequest, HttpStream, Pool } from "./http_socket.ts";
import { lostError, openSocket, requestBytes, timeoutError, timeoutOf } from "./http_socket.ts";
import { reasonOf } from "./time.ts";

/**
 * Sends a request and waits for its answer's head. The connection is kept once the body was read to
 * its end. @throws {SionError} `HttpErrorCode`, or the signal's reason
 */
export async function openStream(
  pool: Pool,
  url: URL,
  request: HttpRequest,
): Promise<HttpStream> {
  const kept = pool.take(url.origin);
  if (kept !== undefined) {
    try {
      return await streamOn(pool, kept, url, request);
    } catch (error) {
      const stale = error instanceof SionError && error.code === "lost" &&
        error.data["answered"] === false;
      if (!stale || request.repeatable !== true) throw error;
    }
  }
  return await streamOn(pool, await openSocket(url, request), url, request);
}

async function streamOn(
  pool: Pool,
  socket: Socket,
  url: URL,
  request: HttpRequest,
): Promise<HttpStream> {
  const { signal } = request;
  const abort = (): void => void socket.destroy(reasonOf(signal as AbortSignal));
  // What ends the connection is told to who reads; this is for when nobody does.
  const ignore = (): void => {};
  const letGo = (): void => {
    signal?.removeEventListener("abort", abort);
    socket.off("close", letGo).off("error", ignore);
  };
  socket.on("error", ignore).on("close", letGo);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  const timer = setTimeout(() => socket.destroy(timeoutError(url, true)), timeoutOf(request));
  let head: HttpHead | undefined;
  let ready: Uint8Array[] = [];
  const parser = createHttpParser({
    onHead: (found) => void (head = found),
    onBody: (part) => void ready.push(part),
  });
  socket.write(requestBytes(url, request));
  const input = socket.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Uint8Array>;
  let answered = false;
  /** Reads on. True when the body has ended. */
  const read = async (): Promise<boolean> => {
    try {
      const next = await input.next();
      if (next.done === true) {
        if (parser.end()) return true;
        throw lostError(url, answered);
      }
      answered = true;
      return parser.take(next.value);
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      throw error instanceof SionError ? error : lostError(url, answered, error);
    }
  };
  let ended = false;
  try {
    while (head === undefined) ended = await read();
  } finally {
    clearTimeout(timer);
    if (head === undefined) socket.destroy();
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let isRead = false;
    try {
      for (;;) {
        const parts = ready;
        ready = [];
        yield* parts;
        if (ended) break;
        ended = await read();
      }
      isRead = true;
    } finally {
      if (isRead && parser.keepAlive) {
        await input.return?.();
        letGo();
        pool.give(url.origin, socket);
      } else socket.destroy();
    }
  }
  return { ...head, chunks: chunks() };
}
