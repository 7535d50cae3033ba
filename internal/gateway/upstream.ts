/**
 * What is behind the gateway: a server that the operator names, to which paid requests are passed on, or
 * the demonstration resource. Bodies are streamed both ways.
 */
import type { ClientRequest, IncomingMessage, RequestOptions, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { concatBytes, utf8 } from "#internal/core/mod.ts";
import { codeOf } from "#internal/runtime/mod.ts";
import type { Headers } from "./answers.ts";
import { writable } from "./answers.ts";
import { answerHeaders, hasBody, requestHeaders } from "./passed_headers.ts";

/** How long an upstream may take for the head of its answer, and between parts, ms. */
const UPSTREAM_MS = 60_000;
/** Bytes of a request's body. */
export const MAX_BODY_BYTES: number = 10 << 20;
/** Bytes of an answer that are kept for whoever lost it. */
const MAX_KEPT_BYTES = 256 << 10;

/** A request that is answered, and what the answer carries besides. */
export interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query in normal form. */
  readonly target: string;
  /** Headers that are added to the answer. */
  readonly added: Headers;
  /** Called before the head of an answer is sent; what it throws ends the answer. */
  readonly onHead?: (status: number) => void;
  /** Called with the whole answer, if it was small enough to be kept. */
  readonly onWhole?: (answer: { status: number; headers: Headers; body: Uint8Array }) => void;
}

/** What requests are passed on to. */
export interface Upstream {
  /**
   * Answers a request; one of method OPTIONS without a body, since it costs nothing and a server may answer
   * it as any other.
   * @throws {UpstreamError} when nothing was sent to the client
   */
  (passing: Passing): Promise<void>;
  /** Whether there is something to pay for at a path. @default everywhere */
  readonly hasResource?: (target: string) => boolean;
}

/** What each status says. */
const FAULTS = {
  409: "another answer to this payment was begun",
  413: `a request has at most ${MAX_BODY_BYTES} bytes`,
  502: "the server behind this one cannot be reached",
  504: "the server behind this one did not answer in time",
} as const;

/** There is no answer of the server behind the gateway; nothing was sent to the client. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly status: keyof typeof FAULTS;
  /** Whether it is certain that nothing of the request was sent. */
  readonly isUnsent: boolean;

  constructor(status: keyof typeof FAULTS, cause?: unknown) {
    super(FAULTS[status], { cause });
    this.status = status;
    this.isUnsent = UNCONNECTED.has(codeOf(cause));
  }
}

/** What only a connection that did not come about fails with. */
const UNCONNECTED: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);

/** The resource of the demonstration: `{"paid":true}` at /v1/resource, nothing else. */
export const demonstration: Upstream = Object.assign(
  (passing: Passing): Promise<void> => {
    const found = isDemonstrated(passing.target);
    const body = utf8(found ? '{"paid":true}' : '{"error":"there is only /v1/resource here"}');
    const status = found ? 200 : 404;
    return answerWhole(passing, { status, headers: { "content-type": "application/json" }, body });
  },
  { hasResource: isDemonstrated },
);

function isDemonstrated(target: string): boolean {
  return /^\/v1\/resource(\?|$)/.test(target);
}

/** Sends an answer that is there as a whole. */
export function answerWhole(
  { request, response, added, onHead, onWhole }: Passing,
  answer: { readonly status: number; readonly headers: Headers; readonly body: Uint8Array },
): Promise<void> {
  onHead?.(answer.status);
  const free = request.method === "OPTIONS";
  const length = { "content-length": free ? 0 : answer.body.length };
  response.writeHead(answer.status, {
    ...writable(answer.headers),
    // These have no body, and so no length of one (RFC 9110, 8.6).
    ...(answer.status === 204 || answer.status === 304 ? {} : length),
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
      headers: { ...requestHeaders(request), host: base.host },
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
      sendBody(request, sending, () => reject(new UpstreamError(413)));
    });
    const answer = await answered;
    const headers = answerHeaders(answer.headers);
    const status = answer.statusCode ?? 502;
    passing.onHead?.(status);
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

/** A request's body as it comes, up to a bound: beyond it nothing more is sent. */
function sendBody(request: IncomingMessage, sending: ClientRequest, tooLarge: () => void): void {
  if (!hasBody(request)) return void sending.end();
  let size = 0;
  request.on("data", (part: Uint8Array) => {
    size += part.length;
    if (size <= MAX_BODY_BYTES) return;
    tooLarge();
    sending.destroy();
  });
  request.pipe(sending);
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
