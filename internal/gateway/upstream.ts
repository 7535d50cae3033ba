/**
 * What is behind the gateway: a server that the operator names, to which paid requests are passed on, or
 * the demonstration resource. Bodies are streamed both ways.
 */
import type { IncomingMessage, RequestOptions, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { concatBytes, utf8 } from "#internal/core/mod.ts";
import type { Headers } from "./answers.ts";
import { writable } from "./answers.ts";

/** How long an upstream may take for the head of its answer, and between parts, ms. */
const UPSTREAM_MS = 60_000;
/** Bytes of an answer that are kept for whoever lost it. */
const MAX_KEPT_BYTES = 256 << 10;

/** Headers that are of one connection only (RFC 9110, 7.6.1), and those that upstreams never see. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const OF_PAYMENT = /^(x-)?payment-|^x-payment$/;
/** What an upstream is told of the client is told by the gateway alone. */
const OF_CLIENT = /^(x-forwarded-|forwarded$)/;

/** A request that is answered, and what the answer carries besides. */
export interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query in normal form. */
  readonly target: string;
  /** Headers that are added to the answer. */
  readonly added: Headers;
  /** Called before the head of an answer is sent; what it throws ends the answer. */
  readonly onHead?: () => void;
  /** Called with the whole answer, if it was small enough to be kept. */
  readonly onWhole?: (answer: { status: number; headers: Headers; body: Uint8Array }) => void;
}

/**
 * Answers a request; one of method OPTIONS without a body, since it costs nothing and a server may answer
 * it as any other.
 * @throws {UpstreamError} when nothing was sent to the client
 */
export type Upstream = (passing: Passing) => Promise<void>;

/** The server behind the gateway did not answer; nothing was sent to the client. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  /** 502 or 504. */
  readonly status: number;

  constructor(status: number, cause?: unknown) {
    super(status === 504 ? "it did not answer in time" : "it cannot be reached", { cause });
    this.status = status;
  }
}

/** The resource of the demonstration: `{"paid":true}` at /v1/resource, nothing else. */
export function demonstration(passing: Passing): Promise<void> {
  const found = URL.parse(passing.target, "http://demonstration")?.pathname === "/v1/resource";
  const body = utf8(found ? '{"paid":true}' : '{"error":"there is only /v1/resource here"}');
  const status = found ? 200 : 404;
  return answerWhole(passing, { status, headers: { "content-type": "application/json" }, body });
}

/** Sends an answer that is there as a whole. */
export function answerWhole(
  { request, response, added, onHead, onWhole }: Passing,
  answer: { readonly status: number; readonly headers: Headers; readonly body: Uint8Array },
): Promise<void> {
  onHead?.();
  const free = request.method === "OPTIONS";
  response.writeHead(answer.status, {
    ...writable(answer.headers),
    "content-length": free ? 0 : answer.body.length,
    ...writable(added),
  });
  onWhole?.(answer);
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.end(free || request.method === "HEAD" ? undefined : answer.body);
  });
}

/** A server that the operator names. @param base its URL, with a path that goes before every other */
export function httpUpstream(base: URL): Upstream {
  const prefix = base.pathname.replace(/\/$/, "");
  return async (passing) => {
    const { request, response, target, added } = passing;
    const { request: send } = base.protocol === "https:"
      ? await import("node:https")
      : await import("node:http");
    const options: RequestOptions = {
      method: request.method ?? "GET",
      path: `${prefix}${target}`,
      headers: { ...passedOn(request.headers, false), host: base.host, ...forwarded(request) },
      timeout: UPSTREAM_MS,
      // A connection of its own: Deno does not tell of one that breaks when it is used again.
      agent: false,
    };
    const sending = send(base, options);
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      // Who asked is gone: nobody would read the answer.
      response.once("close", () => {
        reject(new UpstreamError(502));
        sending.destroy();
      });
      sending.once("response", resolve);
      sending.once("timeout", () => {
        reject(new UpstreamError(504));
        sending.destroy();
      });
      sending.on("error", (cause) => reject(new UpstreamError(502, cause)));
    });
    request.pipe(sending);
    const answer = await answered;
    passing.onHead?.();
    const headers = passedOn(answer.headers, true);
    const status = answer.statusCode ?? 502;
    if (request.method === "OPTIONS") {
      answer.destroy();
      response.writeHead(status, { ...writable(headers), "content-length": 0 }).end();
      return;
    }
    response.writeHead(status, { ...writable(headers), ...writable(added) });
    const kept = keeping(answer);
    try {
      await pipeline(answer, response);
    } catch {
      // One of the two broke off after the head: the connection ends, which tells whoever is left.
      return;
    }
    const body = kept();
    if (body !== undefined && answer.complete) passing.onWhole?.({ status, headers, body });
  };
}

/** What goes by is kept, up to a bound. */
function keeping(answer: IncomingMessage): () => Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let size = 0;
  answer.on("data", (part: Uint8Array) => {
    size += part.length;
    if (size <= MAX_KEPT_BYTES) parts.push(part);
    else parts.length = 0;
  });
  return () => size <= MAX_KEPT_BYTES ? concatBytes(...parts) : undefined;
}

/** Headers that pass through. */
function passedOn(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  answer: boolean,
): Record<string, string | string[]> {
  const named = String(headers["connection"] ?? "").toLowerCase().split(",").map((one) =>
    one.trim()
  );
  const passing = Object.entries(headers).flatMap(([name, value]) => {
    const stays = HOP_BY_HOP.has(name) || named.includes(name) || OF_PAYMENT.test(name) ||
      (!answer && (name === "host" || name === "expect" || OF_CLIENT.test(name)));
    if (stays || value === undefined) return [];
    return [[name, typeof value === "string" ? value : [...value]] as const];
  });
  return Object.fromEntries(passing);
}

function forwarded(request: IncomingMessage): Record<string, string> {
  const address = request.socket.remoteAddress;
  return {
    ...(address === undefined ? {} : { "x-forwarded-for": address }),
    ...(request.headers.host === undefined ? {} : { "x-forwarded-host": request.headers.host }),
    "x-forwarded-proto": "http",
  };
}
