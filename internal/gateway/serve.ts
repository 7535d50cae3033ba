/** The gateway and the facilitator as servers: on one address, or each on its own. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Client } from "#internal/client/mod.ts";
import type { Clock, JsonValue, Logger } from "#internal/core/mod.ts";
import { OUTSIDE_DEPTH, parseJson, utf8Text } from "#internal/core/mod.ts";
import { USD } from "#internal/ledger/mod.ts";
import { arrivalLimits, listenError, shownAddress } from "#internal/runtime/mod.ts";
import { readBody, sendError, sendJson } from "./answers.ts";
import { createCharge } from "./charge.ts";
import { boundConnections } from "./connections.ts";
import type { Facilitator } from "./facilitator.ts";
import { openFacilitator } from "./open_facilitator.ts";
import { demonstration, httpUpstream } from "./upstream.ts";

/** Time for a request's head, and for its body, to arrive, ms. */
const HEAD_MS = 15_000;
const REQUEST_MS = 120_000;
/** Bytes of what the facilitator is asked. */
const MAX_ASKED_BYTES = 64 << 10;
/** Questions to the facilitator at once. */
const MAX_QUESTIONS = 256;

/** An address to listen at. */
interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** How the servers are set up. */
export interface X402ServerOptions {
  readonly client: Client;
  /** Identity of the chain to insist on. @default the one that the node serves now */
  readonly chain?: string;
  /** Account that is paid. */
  readonly payTo: string;
  /** Micro-USD a request. */
  readonly price: bigint;
  readonly listen: HostPort;
  /** What is charged for. @default the demonstration resource */
  readonly upstream?: URL;
  /** Where the facilitator listens. @default with the gateway, if that has no upstream */
  readonly facilitator?: HostPort;
  /** As clients call the gateway. @default where it listens */
  readonly origin?: string;
  /** Folder of the payments that were taken. */
  readonly dir: string;
  /** As messages name it. */
  readonly shownDir?: string;
  /** Connections at once. @default 1,024, half of them of one client */
  readonly connections?: { readonly all?: number; readonly ofClient?: number };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Running servers. Disposing of them ends all connections. */
export interface X402Server extends AsyncDisposable {
  /** As clients call it: `http://127.0.0.1:8402`. */
  readonly url: string;
  /** Where it listens. */
  readonly listening: string;
  /** Base URL of the facilitator, if there is one. */
  readonly facilitator: string | undefined;
  readonly chain: string;
}

/**
 * Starts to charge.
 * @throws {SionError} `address-in-use`, `listen-failed`, `node-unreachable`, `other-chain`
 */
export async function startX402Server(options: X402ServerOptions): Promise<X402Server> {
  const stack = new AsyncDisposableStack();
  try {
    const facilitator = stack.use(await openFacilitator(options));
    const { book, chain } = facilitator;
    let url = "";
    const charge = createCharge({
      ...options,
      chain,
      usd: USD,
      origin: () => options.origin ?? url,
      upstream: options.upstream === undefined ? demonstration : httpUpstream(options.upstream),
      facilitator,
      book,
    });
    const answerQuestion = facilitatorAnswers(facilitator);
    const isShared = options.upstream === undefined && options.facilitator === undefined;
    const gateway = await listen(options.listen, async (request, response) => {
      if (isShared && await answerQuestion(request, response)) return;
      await charge(request, response);
    }, options.connections);
    stack.use(gateway);
    url = gateway.url;
    let asked = isShared ? url : undefined;
    if (options.facilitator !== undefined) {
      const own = await listen(options.facilitator, async (request, response) => {
        if (await answerQuestion(request, response)) return;
        sendError(response, 404, "there are POST /verify, POST /settle and GET /supported");
      });
      stack.use(own);
      asked = own.url;
    }
    const running = stack.move();
    return {
      url: options.origin ?? url,
      listening: url,
      facilitator: asked,
      chain,
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  } finally {
    await stack.disposeAsync();
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function listen(
  { host, port }: HostPort,
  handle: Handler,
  connections?: Parameters<typeof boundConnections>[1],
): Promise<AsyncDisposable & { readonly url: string }> {
  const { createServer } = await import("node:http");
  const server: Server = createServer(
    arrivalLimits(REQUEST_MS, HEAD_MS),
    (request, response) => void handle(request, response),
  );
  boundConnections(server, connections);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, { host, port })));
    server.listen(port, host, resolve);
  });
  const bound = server.address() as { port: number };
  return {
    url: `http://${shownAddress({ host, port: bound.port })}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers what is for the facilitator. @returns false when it is not */
function facilitatorAnswers(
  facilitator: Facilitator,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const posts: { readonly [path: string]: (body: JsonValue) => Promise<unknown> } = {
    "/verify": (body) => facilitator.verifyBody(body),
    "/settle": (body) => facilitator.settleBody(body),
  };
  let asked = 0;
  return async (request, response) => {
    const path = request.url ?? "";
    if (path === "/supported" && request.method === "GET") {
      sendJson(response, 200, facilitator.supported());
      return true;
    }
    const post = Object.hasOwn(posts, path) ? posts[path] : undefined;
    if (post === undefined || request.method !== "POST") return false;
    if (asked >= MAX_QUESTIONS) {
      sendError(response, 429, "too many payments are looked at: come again in a moment", {
        "retry-after": "1",
      });
      return true;
    }
    asked++;
    try {
      const body = await readJson(request);
      if (body === undefined) sendError(response, 400, "the body is no JSON of at most 64 KiB");
      else sendJson(response, 200, await post(body));
    } finally {
      asked--;
    }
    return true;
  };
}

async function readJson(request: IncomingMessage): Promise<JsonValue | undefined> {
  const body = await readBody(request, MAX_ASKED_BYTES);
  if (body === undefined) return undefined;
  try {
    return parseJson(utf8Text(body), { maxDepth: OUTSIDE_DEPTH });
  } catch {
    // Neither UTF-8 nor JSON.
    return undefined;
  }
}
