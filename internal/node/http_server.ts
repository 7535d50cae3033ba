/**
 * The node's HTTP: `POST /rpc/<method>` and `GET /events`, derived from the contract. On the
 * runtime's own server: two routes need no framework, which would be a third of the start.
 *
 * The address is open to every program that reaches it, but to no web page: requests that a page of
 * another origin makes, or that name another host (a rebound name), are refused.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "#internal/core/mod.ts";
import { concatBytes, messageOf, SionError, stringifyJson, utf8 } from "#internal/core/mod.ts";
import type { Method, MethodName, RpcCalls } from "#internal/rpc/mod.ts";
import {
  decodeQuery,
  decodeRequest,
  JSON_TYPE,
  MAX_BODY_BYTES,
  methods,
  RpcError,
  toErrorBody,
} from "#internal/rpc/mod.ts";
import {
  arrivalLimits,
  hostName,
  hostNames,
  isHostOf,
  listenError,
  shownAddress,
} from "#internal/runtime/mod.ts";
import type { EventFeed } from "./event_feed.ts";

/** Connections at once, long polls and streams among them; more are closed as they come. */
const MAX_CONNECTIONS = 2_048;
/** Idle connections are closed after this time, ms; clients give theirs up sooner. */
const KEEP_ALIVE_MS = 30_000;
/** Time for a request's head and body to arrive, ms. */
const REQUEST_MS = 15_000;
/** A comment in the event stream keeps connections that something in between would close, ms. */
const HEARTBEAT_MS = 15_000;

/** What a server serves. */
export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Names besides `host` and localhost that requests may call it by, without a port. @default none */
  readonly allowHosts?: readonly string[];
  /** Time for a request's head and body to arrive, ms. @default 15,000 */
  readonly requestMs?: number;
  /** Connections at once; one more is closed. @default 2,048 */
  readonly maxConnections?: number;
  /** Asked of each connection as it comes; one that is not taken is closed. @default all are taken */
  readonly takes?: (socket: Socket) => boolean;
  readonly calls: RpcCalls;
  readonly events: EventFeed;
  readonly logger: Logger;
  /** Also answers `GET /rpc/<method>?<parameters>` where a method changes nothing. @default false */
  readonly gets?: boolean;
  /** Asked before a request is read; what it throws is the answer. @default everybody is answered */
  readonly admit?: (request: IncomingMessage, what: Asked) => Admitted;
}

/** What a request asks for: a method of the contract, or the stream of events. */
export type Asked = MethodName | "stream";

/** A request that is answered, until it is disposed of. */
export interface Admitted extends Disposable {
  /** Told how many bytes of the answer are sent. */
  sent(bytes: number): void;
}

/** A listening server. Disposing of it ends all connections. */
export interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** As in `http://127.0.0.1:8400`. */
  readonly url: string;
}

/**
 * Listens.
 * @throws {SionError} `address-in-use`, `listen-failed`
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { createServer } = await import("node:http");
  const serving: Serving = {
    ...options,
    names: hostNames(options.host, options.allowHosts),
    open: new Set(),
  };
  const server: Server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      ...arrivalLimits(options.requestMs ?? REQUEST_MS),
    },
    (request, response) => void handle(serving, request, response),
  );
  const { takes } = options;
  if (takes !== undefined) {
    server.on("connection", (socket) => takes(socket) || socket.destroy());
  }
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    port,
    url: `http://${shownAddress({ host: options.host, port })}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const abort of serving.open) abort.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What every method answers with. */
type Answer = { readonly pulse: number };

/** What requests are answered with. */
interface Serving extends HttpServerOptions {
  /** Names that requests may call the node by. */
  readonly names: ReadonlySet<string>;
  /** Ends the requests that are being answered. */
  readonly open: Set<AbortController>;
}

async function handle(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const abort = new AbortController();
  serving.open.add(abort);
  // An answer that is out closes too, and nobody is left to be told.
  response.once("close", () => {
    if (!response.writableFinished) abort.abort();
  });
  try {
    checkOrigin(request, serving.names);
    const { path, query } = targetOf(request.url ?? "/");
    const what = askedFor(serving, request.method ?? "", path);
    using admitted = serving.admit?.(request, what);
    if (what === "stream") {
      await streamEvents(serving.events, query, response, { signal: abort.signal, admitted });
    } else {
      const value = await answer(serving, what, { request, query }, abort.signal);
      const bytes = sendJson(response, 200, value);
      admitted?.sent(bytes);
    }
  } catch (error) {
    const ours = !(error instanceof SionError);
    serving.logger.log(
      ours ? "error" : "debug",
      ours ? "A request failed inside" : "A request was refused",
      { reason: messageOf(error) },
    );
    sendError(response, error);
  } finally {
    serving.open.delete(abort);
  }
}

/** @throws {RpcError} `unknown-method` */
function askedFor({ gets = false }: Serving, verb: string, path: string): Asked {
  if (path === "/events" && verb === "GET") return "stream";
  const name = /^\/rpc\/([a-z_]+)$/.exec(path)?.[1];
  if (name !== undefined && (verb === "POST" || (gets && verb === "GET"))) {
    if (!Object.hasOwn(methods, name)) {
      throw new RpcError("unknown-method", `There is no method ${name}`);
    }
    const method = methods[name as MethodName] as Pick<Method<unknown, Answer>, "changes">;
    if (verb === "POST" || method.changes !== true) return name as MethodName;
  }
  const verbs = gets ? "POST or GET" : "POST";
  throw new RpcError(
    "unknown-method",
    `There is no ${verb} ${path}: ${verbs} /rpc/<method>, GET /events`,
  );
}

/** Path and query of a request. @throws {RpcError} `bad-request` */
function targetOf(target: string): { readonly path: string; readonly query: string } {
  // What all calls look like needs no reading of an address.
  if (/^\/rpc\/[a-z_]+$/.test(target)) return { path: target, query: "" };
  const url = URL.parse(target, "http://node");
  if (url === null) throw new RpcError("bad-request", "Cannot read the path of the request");
  return { path: url.pathname, query: url.search };
}

/** @throws {RpcError} `forbidden` */
function checkOrigin(request: IncomingMessage, names: ReadonlySet<string>): void {
  const { host, origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host ?? ""}`) {
    throw new RpcError("forbidden", "Pages of other origins may not ask this node");
  }
  // A page's own name can be made to resolve here, but an address cannot.
  if (!isHostOf(host, names)) {
    const name = hostName(host ?? "");
    const asked = /^[\w.-]{1,253}$/.test(name) ? name : "another name";
    throw new RpcError(
      "forbidden",
      `This node is asked by its address or as localhost, not as ${asked}: --allow-host adds a name`,
    );
  }
}

async function answer(
  { calls }: Serving,
  name: MethodName,
  { request, query }: { readonly request: IncomingMessage; readonly query: string },
  signal: AbortSignal,
): Promise<unknown> {
  const method = methods[name] as Method<unknown, Answer>;
  const call = calls[name] as (
    params: unknown,
    options: { readonly signal: AbortSignal },
  ) => Promise<unknown>;
  if (request.method === "GET") return await call(decodeQuery(method, query), { signal });
  const contentType = request.headers["content-type"] ?? JSON_TYPE;
  const params = decodeRequest(method, { query, contentType, body: await readBody(request) });
  return await call(params, { signal });
}

/** A request's body, in bytes of its own. */
function readBody(request: IncomingMessage): Promise<Uint8Array> {
  // What says that it is too large is not waited for.
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) {
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let size = 0;
    request.on("data", (part: Uint8Array) => {
      size += part.length;
      if (size <= MAX_BODY_BYTES) return void parts.push(part);
      // Nothing more is taken in; the answer closes the connection.
      parts.length = 0;
      request.pause();
      reject(tooLarge());
    });
    request.once("end", () => resolve(concatBytes(...parts)));
    // The stream ends so when its client hangs up in the middle: no fault of the node.
    request.once("error", (cause) => {
      reject(new RpcError("bad-request", messageOf(cause), { cause }));
    });
  });
}

function tooLarge(): RpcError {
  return new RpcError("too-large", `A request has at most ${MAX_BODY_BYTES} bytes`);
}

/** @returns the bytes of the body. */
function sendJson(response: ServerResponse, status: number, value: unknown): number {
  if (response.destroyed || response.writableEnded) return 0;
  const body = utf8(stringifyJson(value));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    // What a proxy or a browser may keep of a question without a body, it would.
    ...(response.req.method === "GET" ? { "cache-control": "no-store" } : {}),
  });
  response.end(body);
  return body.length;
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, body } = toErrorBody(error);
  const retryMs = body.error.retry_after_ms;
  if (retryMs !== undefined) {
    response.setHeader("retry-after", String(Math.max(1, Math.ceil(retryMs / 1000))));
  }
  // What is left of the request would be read as the next one.
  if (status === 413) response.setHeader("connection", "close");
  sendJson(response, status, body);
}

/** Server-sent events: each has the event as exact JSON and the place to go on from as its id. */
async function streamEvents(
  feed: EventFeed,
  query: string,
  response: ServerResponse,
  { signal, admitted }: { readonly signal: AbortSignal; readonly admitted: Admitted | undefined },
): Promise<void> {
  const from = new URLSearchParams(query).get("from");
  if (from !== null && !/^\d{1,15}$/.test(from)) {
    throw new RpcError("bad-request", "Cannot read from: an integer of 0 or more is needed");
  }
  const stream = feed.follow(from === null ? undefined : Number(from), signal);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
  const heartbeat = setInterval(() => response.write(":\n\n"), HEARTBEAT_MS);
  try {
    for await (const { event, id } of stream) {
      const text = `id: ${id}\nevent: ledger\ndata: ${stringifyJson(event)}\n\n`;
      admitted?.sent(text.length);
      if (!response.write(text)) await drained(response, signal);
      if (signal.aborted) return;
    }
  } finally {
    clearInterval(heartbeat);
    response.end();
  }
}

/** A slow reader holds up its own stream only. */
function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      response.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    response.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
