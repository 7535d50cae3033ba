/**
 * HTTP/1.1 over a bare socket: loading Node's own HTTP client costs more than a whole short command.
 * For addresses that the user names (a node of theirs, a model's server); never for addresses that a
 * page, a model or a peer chose.
 *
 * Source: RFC 9112 (message syntax), as far as such servers use it: no trailers, no upgrade, no proxy.
 */
import type { Socket } from "node:net";
import { concatBytes, SionError } from "#internal/core/mod.ts";
import { createHttpParser, type HttpHead } from "./http_parser.ts";
import type { HttpRequest, HttpResponse, HttpStream, Pool } from "./http_socket.ts";
import { lostError, openSocket, requestBytes, timeoutError, timeoutOf } from "./http_socket.ts";
import { openStream } from "./http_stream.ts";
import { reasonOf } from "./time.ts";

/** Keeps connections between requests. Idle ones do not keep the process alive. */
export interface HttpClient extends Disposable {
  /** To an `http:` address. @throws {SionError} `HttpErrorCode`, or the signal's reason. */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** As `request`, for long bodies, or without an end; to an `https:` address too. */
  stream(request: HttpRequest): Promise<HttpStream>;
}

/** Shorter than the time after which nodes close an idle connection. */
const MAX_IDLE_MS = 4_000;
const MAX_IDLE_SOCKETS = 16;
const MAX_RESPONSE_BYTES = 64 << 20;

interface Idle {
  readonly socket: Socket;
  readonly sinceMs: number;
  readonly forget: () => void;
}

/** A client with no connections yet. */
export function createHttpClient(): HttpClient {
  const idle = new Map<string, Idle[]>();
  const pool: Pool = {
    take(origin) {
      const sockets = idle.get(origin) ?? [];
      for (let kept = sockets.pop(); kept !== undefined; kept = sockets.pop()) {
        kept.forget();
        if (!kept.socket.destroyed && performance.now() - kept.sinceMs < MAX_IDLE_MS) {
          kept.socket.ref();
          return kept.socket;
        }
        kept.socket.destroy();
      }
      return undefined;
    },
    give(origin, socket) {
      const sockets = idle.get(origin) ?? [];
      idle.set(origin, sockets);
      if (sockets.length >= MAX_IDLE_SOCKETS || socket.destroyed) return void socket.destroy();
      const end = (): void => void socket.destroy();
      socket.on("data", end).on("end", end).on("error", end);
      const forget = (): void => {
        socket.off("data", end).off("end", end).off("error", end);
      };
      socket.unref();
      sockets.push({ socket, sinceMs: performance.now(), forget });
    },
  };
  return {
    request: (request) => exchange(pool, request),
    stream: async (request) => await openStream(pool, webUrl(request.url), request),
    [Symbol.dispose]() {
      for (const { socket } of [...idle.values()].flat()) socket.destroy();
      idle.clear();
    },
  };
}

async function exchange(pool: Pool, request: HttpRequest): Promise<HttpResponse> {
  const url = httpUrl(request.url);
  const kept = pool.take(url.origin);
  if (kept !== undefined) {
    try {
      return await converse(pool, kept, url, request);
    } catch (error) {
      const stale = error instanceof SionError && error.code === "lost" &&
        error.data["answered"] === false;
      if (!stale || request.repeatable !== true) throw error;
    }
  }
  return await converse(pool, await openSocket(url, request), url, request);
}

function httpUrl(text: string): URL {
  const url = webUrl(text);
  if (url.protocol === "https:") {
    throw new TypeError(`Cannot ask ${text}: only http: addresses are taken here`);
  }
  return url;
}

function webUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`Cannot ask ${text}: only addresses of the web are taken`);
  }
  return url;
}

/** Sends the request and reads the whole answer; gives the socket back when it may be used again. */
function converse(
  pool: Pool,
  socket: Socket,
  url: URL,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    let answered = false;
    let head: HttpHead | undefined;
    let size = 0;
    const parts: Uint8Array[] = [];
    const parser = createHttpParser({
      onHead: (found) => void (head = found),
      onBody(part) {
        parts.push(part);
        size += part.length;
        if (size > MAX_RESPONSE_BYTES) throw new SyntaxError("The answer is too large");
      },
    });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.off("data", onData).off("error", onLost).off("close", onLost);
    };
    const fail = (error: Error): void => {
      settle();
      socket.on("error", () => {});
      socket.destroy();
      reject(error);
    };
    const finish = (): void => {
      settle();
      if (parser.keepAlive) pool.give(url.origin, socket);
      else socket.destroy();
      resolve({ ...(head as HttpHead), body: concatBytes(...parts) });
    };
    const onAbort = (): void => fail(reasonOf(signal as AbortSignal));
    const onLost = (cause?: unknown): void => {
      if (parser.end()) finish();
      else fail(lostError(url, answered, cause instanceof Error ? cause : undefined));
    };
    const onData = (chunk: Uint8Array): void => {
      answered = true;
      try {
        if (parser.take(chunk)) finish();
      } catch (cause) {
        fail(lostError(url, true, cause));
      }
    };
    const timer = setTimeout(() => fail(timeoutError(url, true)), timeoutOf(request));
    if (signal?.aborted === true) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.on("data", onData).on("error", onLost).on("close", onLost);
    socket.write(requestBytes(url, request));
  });
}
