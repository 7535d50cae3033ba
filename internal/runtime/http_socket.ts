/**
 * Connections for HTTP/1.1, plain or TLS, and the bytes of a request on them.
 * Source: RFC 9112 (message syntax).
 */
import { connect, isIP, type Socket } from "node:net";
import { concatBytes, SionError } from "#internal/core/mod.ts";
import { codeOf } from "./error_code.ts";
import type { HttpHead } from "./http_parser.ts";
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
  /** Milliseconds until there must be a connection. @default timeoutMs */
  readonly connectMs?: number;
  /** Sent once more when a kept connection proves to be dead. @default false */
  readonly repeatable?: boolean;
  /** Certificates to trust instead of the system's: PEM. */
  readonly ca?: string;
  readonly signal?: AbortSignal;
}

/** One answer; header names in lower case. */
export interface HttpResponse extends HttpHead {
  readonly body: Uint8Array;
}

/** An answer whose body comes piece by piece. Leaving the loop before its end ends the connection. */
export interface HttpStream extends HttpHead {
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Connections that were used and may be used again. */
export interface Pool {
  take(origin: string): Socket | undefined;
  give(origin: string, socket: Socket): void;
}

const DEFAULT_TIMEOUT_MS = 10_000;

function hostOf(url: URL): { host: string; port: number } {
  // A URL writes an IPv6 address in brackets; the system wants it bare.
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(url.port || (url.protocol === "https:" ? "443" : "80")) };
}

/** A new connection. @throws {SionError} `HttpErrorCode`, or the signal's reason */
export async function openSocket(url: URL, request: HttpRequest): Promise<Socket> {
  const { signal } = request;
  if (signal?.aborted === true) throw reasonOf(signal);
  // Loading it takes longer than most programs take to start.
  const tls = url.protocol === "https:" ? await import("node:tls") : undefined;
  const place = { ...hostOf(url), noDelay: true };
  return await new Promise((resolve, reject) => {
    const socket = tls === undefined ? connect(place) : tls.connect({
      ...place,
      // An address is no server name.
      ...(isIP(place.host) > 0 ? {} : { servername: place.host }),
      ...(request.ca === undefined ? {} : { ca: request.ca }),
    });
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
    const timer = setTimeout(
      () => end(timeoutError(url, false)),
      request.connectMs ?? timeoutOf(request),
    );
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.off("error", onError);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("error", onError);
    socket.once(tls === undefined ? "connect" : "secureConnect", () => {
      settle();
      resolve(socket);
    });
  });
}

/** Until its answer must be there, ms. */
export function timeoutOf(request: HttpRequest): number {
  return request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

/** @param sent whether the request was */
export function timeoutError(url: URL, sent: boolean): SionError<HttpErrorCode> {
  return new SionError("timeout", `${url.origin} did not answer in time`, { data: { sent } });
}

/** @param answered whether a part of the answer had come */
export function lostError(url: URL, answered: boolean, cause?: unknown): SionError<HttpErrorCode> {
  return new SionError("lost", `${url.origin} stopped answering`, { cause, data: { answered } });
}

/** A request as it is sent. @throws {TypeError} of a header that would be more than one */
export function requestBytes(url: URL, request: HttpRequest): Uint8Array {
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
