/**
 * HTTP/1.1 to a node, over a bare socket: loading Node's own HTTP client costs more than a whole
 * short command. For `http:` addresses that the user names (a node of theirs); never for addresses
 * that a page, a model or a peer chose.
 *
 * Source: RFC 9112 (message syntax), as far as nodes use it: no trailers, no upgrade, no proxy.
 */
import { connect, type Socket } from "node:net";
import { concatBytes, SionError } from "#internal/core/mod.ts";
import { codeOf } from "./error_code.ts";
import { createHttpParser, type HttpHead } from "./http_parser.ts";
import { reasonOf } from "./time.ts";

/**
 * - `unreachable`: no connection could be made, so nothing was sent.
 * - `lost`: the connection ended, or the answer made no sense, after the request was sent.
 * - `timeout`: no whole answer within the time limit; `data.sent` says whether it was sent.
 */
export type HttpErrorCode = "unreachable" | "lost" | "timeout";

/** One request. */
export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Milliseconds until the whole answer must be there (a stream: its head). @default 10000 */
  readonly timeoutMs?: number;
  /** Sent once more when a kept connection proves to be dead. @default false */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal;
}

/** One answer; header names in lower case. */
export interface HttpResponse extends HttpHead {
  readonly body: Uint8Array;
}

/** An answer whose body comes piece by piece. Leaving the loop ends the connection. */
export interface HttpStream extends HttpHead {
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Keeps connections between requests. Idle ones do not keep the process alive. */
export interface HttpClient extends Disposable {
  /** @throws {SionError} `HttpErrorCode`, or the signal's reason. */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** As `request`, for bodies without an end. */
  stream(request: HttpRequest): Promise<HttpStream>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
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
    stream: (request) => openStream(request),
    [Symbol.dispose]() {
      for (const { socket } of [...idle.values()].flat()) socket.destroy();
      idle.clear();
    },
  };
}

interface Pool {
  take(origin: string): Socket | undefined;
  give(origin: string, socket: Socket): void;
}

async function exchange(pool: Pool, request: HttpRequest): Promise<HttpResponse> {
  const url = httpUrl(request.url);
  const kept = pool.take(url.host);
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
  const url = new URL(text);
  if (url.protocol !== "http:") {
    throw new TypeError(`Cannot ask ${text}: only http: addresses are taken here`);
  }
  return url;
}

function hostOf(url: URL): { host: string; port: number } {
  // A URL writes an IPv6 address in brackets; the system wants it bare.
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port || "80") };
}

function openSocket(url: URL, request: HttpRequest): Promise<Socket> {
  const { signal } = request;
  if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
  return new Promise((resolve, reject) => {
    const socket = connect({ ...hostOf(url), noDelay: true });
    const end = (error: Error): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    const onError = (cause: Error): void =>
      end(
        new SionError<HttpErrorCode>(
          "unreachable",
          `Cannot reach ${url.origin}: ${codeOf(cause)}`,
          {
            cause,
          },
        ),
      );
    const onAbort = (): void => end(reasonOf(signal as AbortSignal));
    const timer = setTimeout(() => end(timeoutError(url, false)), timeoutOf(request));
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.off("error", onError);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("error", onError);
    socket.once("connect", () => {
      settle();
      resolve(socket);
    });
  });
}

function timeoutOf(request: HttpRequest): number {
  return request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

function timeoutError(url: URL, sent: boolean): SionError<HttpErrorCode> {
  return new SionError("timeout", `${url.origin} did not answer in time`, { data: { sent } });
}

function lostError(url: URL, answered: boolean, cause?: unknown): SionError<HttpErrorCode> {
  return new SionError("lost", `${url.origin} stopped answering`, { cause, data: { answered } });
}

function requestBytes(url: URL, request: HttpRequest): Uint8Array {
  const body = request.body ?? new Uint8Array();
  const headers: Record<string, string> = { host: url.host, ...request.headers };
  if (body.length > 0 || request.method === "POST") headers["content-length"] = `${body.length}`;
  const lines = Object.entries(headers).map(([name, value]) => {
    if (/[\r\n\0]/.test(name + value)) throw new TypeError(`Cannot send header ${name}`);
    return `${name}: ${value}\r\n`;
  });
  const head = `${request.method ?? "GET"} ${url.pathname}${url.search} HTTP/1.1\r\n`;
  return concatBytes(new TextEncoder().encode(`${head}${lines.join("")}\r\n`), body);
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
      if (parser.keepAlive) pool.give(url.host, socket);
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

async function openStream(request: HttpRequest): Promise<HttpStream> {
  const url = httpUrl(request.url);
  const socket = await openSocket(url, request);
  const { signal } = request;
  const abort = (): void => void socket.destroy(reasonOf(signal as AbortSignal));
  signal?.addEventListener("abort", abort, { once: true });
  socket.once("close", () => signal?.removeEventListener("abort", abort));
  const timer = setTimeout(() => socket.destroy(timeoutError(url, true)), timeoutOf(request));
  let head: HttpHead | undefined;
  let ready: Uint8Array[] = [];
  const parser = createHttpParser({
    onHead: (found) => void (head = found),
    onBody: (part) => void ready.push(part),
  });
  socket.write(requestBytes(url, request));
  const input = socket[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  /** Reads on. True when the body has ended. */
  const read = async (): Promise<boolean> => {
    try {
      const next = await input.next();
      if (next.done === true) {
        if (parser.end()) return true;
        throw lostError(url, head !== undefined);
      }
      return parser.take(next.value);
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      throw error instanceof SionError ? error : lostError(url, head !== undefined, error);
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
    try {
      for (;;) {
        const parts = ready;
        ready = [];
        yield* parts;
        if (ended) return;
        ended = await read();
      }
    } finally {
      socket.destroy();
    }
  }
  return { ...head, chunks: chunks() };
}
