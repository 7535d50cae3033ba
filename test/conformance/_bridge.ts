/**
 * Streamable HTTP in front of servers that speak lines, for a suite that speaks HTTP alone. Clients
 * before 2026-07-28 get a server of their own for each session; later ones share one. What only HTTP
 * has (hosts, headers, status codes, streams) is this file's; all else is the server's.
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type JsonValue, parseJson, stringifyJson } from "#internal/core/mod.ts";
import { runMcpServer, type ServerDefinition } from "#internal/mcp/mod.ts";

type Message = { readonly [member: string]: JsonValue | undefined };

const MODERN = "2026-07-28";
const LEGACY: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";
const HEADER_MISMATCH = -32020;
/** Methods whose header names what they are about. */
const NAMED: ReadonlySet<string> = new Set(["prompts/get", "resources/read", "tools/call"]);
/** Status codes of errors, where they have one; others come with 400. */
const STATUS: Readonly<Record<number, number>> = { [-32601]: 404, [-32603]: 500 };

/** One answer to one request: JSON when nothing else comes before it, else a stream. */
class Reply {
  readonly #response: ServerResponse;
  #streams = false;
  #over = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isOpen(): boolean {
    return !this.#over;
  }

  /** Sends what is not the answer. */
  push(message: Message): void {
    if (this.#over) return;
    this.open();
    this.#response.write(`event: message\ndata: ${stringifyJson(message)}\n\n`);
  }

  /** Becomes a stream at once. */
  open(): void {
    if (this.#streams) return;
    this.#streams = true;
    this.#response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    this.#response.flushHeaders();
  }

  end(message: Message): void {
    if (this.#over) return;
    if (this.#streams) {
      this.push(message);
      this.#over = true;
      this.#response.end();
      return;
    }
    this.#over = true;
    const code = (message["error"] as { readonly code?: number } | undefined)?.code;
    const status = code === undefined ? 200 : STATUS[code] ?? 400;
    this.#response.writeHead(status, { "content-type": "application/json" });
    this.#response.end(stringifyJson(message));
  }

  abandon(): void {
    this.#over = true;
    this.#response.end();
  }
}

/** A server on a pair of streams of this process. */
class LineServer {
  readonly #lines: Uint8Array[] = [];
  #wake: () => void = () => {};
  #isOver = false;
  readonly #done: Promise<unknown>;

  constructor(definition: ServerDefinition, receive: (message: Message) => void) {
    this.#done = runMcpServer(definition, {
      input: this.#input(),
      graceMs: 1,
      output: {
        write: (text) => receive(parseJson(text) as Message),
        ready: () => Promise.resolve(),
        flush: () => Promise.resolve(),
        closed: new AbortController().signal,
      },
    });
  }

  async *#input(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) yield line;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  send(message: Message): void {
    this.#lines.push(new TextEncoder().encode(`${stringifyJson(message)}\n`));
    this.#wake();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#wake();
    await this.#done;
  }
}

/** One client before 2026-07-28: its server, and the replies that are open. */
class Session {
  readonly id: string = crypto.randomUUID();
  readonly #server: LineServer;
  readonly #open = new Map<string, Reply>();
  #standing: Reply | undefined;

  constructor(definition: ServerDefinition) {
    this.#server = new LineServer(definition, (message) => this.#receive(message));
  }

  #receive(message: Message): void {
    const key = stringifyJson(message["id"] ?? null);
    const reply = message["method"] === undefined ? this.#open.get(key) : undefined;
    if (reply !== undefined) {
      this.#open.delete(key);
      reply.end(message);
    } else {
      // Lines do not say which request something belongs to: the newest is the best guess.
      ([...this.#open.values()].filter(({ isOpen }) => isOpen).at(-1) ?? this.#standing)?.push(
        message,
      );
    }
  }

  request(message: Message, reply: Reply): void {
    this.#open.set(stringifyJson(message["id"] as JsonValue), reply);
    this.#server.send(message);
  }
  tell(message: Message): void {
    this.#server.send(message);
  }
  stand(reply: Reply): void {
    reply.open();
    this.#standing = reply;
  }
  async close(): Promise<void> {
    for (const reply of [...this.#open.values(), this.#standing]) reply?.abandon();
    await this.#server.close();
  }
}

/** The server of all clients since 2026-07-28. Their ids and tokens may be the same: they get others. */
class Shared {
  readonly #server: LineServer;
  readonly #open = new Map<number, { reply: Reply; id: JsonValue; token: JsonValue | undefined }>();
  #count = 0;

  constructor(definition: ServerDefinition) {
    this.#server = new LineServer(definition, (message) => this.#receive(message));
  }

  #receive(message: Message): void {
    const params = message["params"] as Message | undefined;
    const meta = params?.["_meta"] as Message | undefined;
    const number = message["id"] ?? meta?.[SUBSCRIPTION_KEY] ?? params?.["progressToken"];
    const entry = this.#open.get(Number(number));
    if (entry === undefined) return;
    const { reply, id, token } = entry;
    if (message["method"] === undefined) {
      this.#open.delete(Number(number));
      reply.end({ ...message, id });
    } else if (meta !== undefined) {
      reply.push({ ...message, params: { ...params, _meta: { ...meta, [SUBSCRIPTION_KEY]: id } } });
    } else reply.push({ ...message, params: { ...params, progressToken: token } });
  }

  request(message: Message, reply: Reply, gone: (listener: () => void) => void): void {
    const number = ++this.#count;
    const params = message["params"] as Message | undefined;
    const meta = params?.["_meta"] as Message | undefined;
    const token = meta?.["progressToken"];
    const _meta = token === undefined ? meta : { ...meta, progressToken: number };
    this.#open.set(number, { reply, id: message["id"] as JsonValue, token });
    gone(() => {
      if (!this.#open.delete(number)) return;
      const params = { requestId: number };
      this.#server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    });
    this.#server.send({
      ...message,
      id: number,
      ...(params === undefined ? {} : { params: { ...params, ...(_meta ? { _meta } : {}) } }),
    });
  }
  async close(): Promise<void> {
    for (const { reply } of this.#open.values()) reply.abandon();
    await this.#server.close();
  }
}

/** The bridge, while it serves. */
export interface Bridge extends AsyncDisposable {
  readonly url: string;
}

/** Serves a definition over HTTP on a free port of this machine. */
export async function openBridge(define: () => ServerDefinition): Promise<Bridge> {
  const sessions = new Map<string, Session>();
  const shared = new Shared(define());
  const http = createServer((request, response) => {
    serve(request, response).catch(() => response.writeHead(500).end());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isOfThisMachine(request)) return void response.writeHead(403).end();
    if (request.method === "POST") return await post(request, response);
    const session = sessions.get(String(request.headers["mcp-session-id"]));
    if (session === undefined) return void response.writeHead(404).end();
    if (request.method === "GET") return session.stand(new Reply(response));
    if (request.method !== "DELETE") return void response.writeHead(405).end();
    sessions.delete(session.id);
    await session.close();
    response.writeHead(200).end();
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = await bodyOf(request);
    const reply = new Reply(response);
    if (message === undefined) return reply.end(failure(null, -32700, "parse error"));
    const named = request.headers["mcp-protocol-version"];
    const version = versionOf(message);
    const isModern = version !== undefined || message["method"] === "server/discover" ||
      (named !== undefined && !LEGACY.includes(String(named)));
    if (!isModern) return postLegacy(message, request, response, reply);
    const { id } = message;
    if (id === undefined) return void response.writeHead(202).end();
    const fault = headerFault(message, request);
    if (fault !== undefined) return reply.end(failure(id, HEADER_MISMATCH, fault));
    if (version === undefined && message["method"] !== "server/discover") {
      return reply.end(failure(id, -32602, `invalid params: _meta needs ${VERSION_KEY}`));
    }
    shared.request(message, reply, (listener) => response.on("close", listener));
  }

  function postLegacy(
    message: Message,
    request: IncomingMessage,
    response: ServerResponse,
    reply: Reply,
  ): void {
    let session = sessions.get(String(request.headers["mcp-session-id"]));
    if (message["method"] === "initialize" && session === undefined) {
      session = new Session(define());
      sessions.set(session.id, session);
      response.setHeader("mcp-session-id", session.id);
    }
    if (session === undefined) {
      const isKnown = request.headers["mcp-session-id"] !== undefined;
      return void response.writeHead(isKnown ? 404 : 400).end();
    }
    if (message["id"] !== undefined && message["method"] !== undefined) {
      return session.request(message, reply);
    }
    session.tell(message);
    response.writeHead(202).end();
  }

  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await Promise.all([...sessions.values(), shared].map((one) => one.close()));
    },
  };
}

function failure(id: JsonValue, code: number, message: string): Message {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** A page of another site must not reach a server on its reader's machine. */
function isOfThisMachine({ headers: { host, origin } }: IncomingMessage): boolean {
  const isLocal = (address: string): boolean => {
    if (!URL.canParse(address)) return false;
    return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(address).hostname);
  };
  return isLocal(`http://${host}`) && (origin === undefined || isLocal(origin));
}

async function bodyOf(request: IncomingMessage): Promise<Message | undefined> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  try {
    const value = parseJson(Buffer.concat(chunks).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Message
      : undefined;
  } catch {
    return undefined;
  }
}

function versionOf({ params }: Message): JsonValue | undefined {
  const meta = (params as Message | undefined)?.["_meta"] as Message | undefined;
  return meta?.[VERSION_KEY];
}

/** What headers say twice has to be what the body says. */
function headerFault(message: Message, { headers }: IncomingMessage): string | undefined {
  const version = versionOf(message);
  const named = headers["mcp-protocol-version"];
  if (named === undefined) return "the header MCP-Protocol-Version is missing";
  if (version !== undefined && named !== version) {
    return "MCP-Protocol-Version is not the request's";
  }
  const method = headers["mcp-method"];
  if (named !== MODERN) return undefined;
  if (method !== message["method"]) return "Mcp-Method is not the request's";
  if (!NAMED.has(String(method))) return undefined;
  const { name, uri } = (message["params"] ?? {}) as Message;
  const is = headers["mcp-name"] === (name ?? uri);
  return is ? undefined : "Mcp-Name is not what the request names";
}
