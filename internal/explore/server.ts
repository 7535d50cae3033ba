/**
 * The pages over HTTP: reads only, to browsers of this machine unless it is told to listen elsewhere.
 * Nothing of a page runs that is not `/live.js`, and nothing is fetched from anywhere else.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Client } from "#internal/client/mod.ts";
import type { Clock, Logger } from "#internal/core/mod.ts";
import { messageOf, SionError, stringifyJson, utf8 } from "#internal/core/mod.ts";
import type { RateLimiter } from "#internal/gateway/mod.ts";
import { clientKey, createRateLimiter } from "#internal/gateway/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import {
  arrivalLimits,
  hostNames,
  isHostOf,
  listenError,
  shownAddress,
} from "#internal/runtime/mod.ts";
import { markup } from "./html.ts";
import type { Frame } from "./layout.ts";
import { layout } from "./layout.ts";
import { liveScript } from "./live_script.ts";
import type { Elsewhere, Page, PageContext, PageKind } from "./page.ts";
import { pages } from "./pages/mod.ts";
import { ICON, STYLE } from "./style.ts";
import type { Trouble, Watch } from "./watch.ts";
import { capital, watchChain } from "./watch.ts";
import { command, prose, typed } from "./words.ts";

/** Connections at once; more are closed as they come. */
const MAX_CONNECTIONS = 256;
/** Time for a request to arrive, ms. */
const REQUEST_MS = 10_000;
/** Time for a page to be made, ms. */
const PAGE_MS = 20_000;
/** How long a page waits for the first verified Pulse, ms. */
const FIRST_LOOK_MS = 3_000;
/** A comment in the stream of news keeps its connection, ms. */
const HEARTBEAT_MS = 15_000;
/** Characters of an address that is answered. */
const MAX_TARGET = 1_024;
/** What each browser may ask: a page and its parts, for each Pulse, in many windows. */
const LIMITS = { perSecond: 50, atOnce: 32, allAtOnce: 128, clients: 1_000 };

/** Nothing but the page's own parts, no matter what a stranger's text is taken for. */
const HEADERS = {
  "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; " +
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; " +
    "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** What an explorer shows, and where. */
export interface ExplorerOptions {
  /** Of the node that is looked at. */
  readonly client: Client;
  /** The chain identity that the client insists on. */
  readonly pinned?: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Names besides `host` and localhost that it may be called by. @default none */
  readonly allowHosts?: readonly string[];
  /** Time for a request to arrive, ms. @default 10,000 */
  readonly requestMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A running explorer. Disposing of it ends all connections. */
export interface Explorer extends AsyncDisposable {
  /** As in `http://127.0.0.1:8404`. */
  readonly url: string;
}

/**
 * Listens. The node need not answer yet: pages say so.
 * @throws {SionError} `address-in-use`, `listen-failed`
 */
export async function startExplorer(options: ExplorerOptions): Promise<Explorer> {
  const { createServer } = await import("node:http");
  const { client, clock, host, port } = options;
  const ledger = createLedger();
  const watch = watchChain({
    client,
    ledger,
    clock,
    logger: options.logger,
    pinned: options.pinned,
  });
  const serving: Serving = {
    ...options,
    ledger,
    watch,
    names: hostNames(host, options.allowHosts),
    limiter: createRateLimiter(LIMITS, clock),
    assets: new Map([
      ["/style.css", ["text/css; charset=utf-8", STYLE]],
      ["/live.js", ["text/javascript; charset=utf-8", liveScript()]],
      ["/icon.svg", ["image/svg+xml", ICON]],
    ]),
    stop: new AbortController(),
  };
  const server: Server = createServer(
    arrivalLimits(options.requestMs ?? REQUEST_MS),
    (request, response) => void handle(serving, request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, { host, port })));
    server.listen(port, host, resolve);
  });
  const bound = server.address() as { port: number };
  return {
    url: `http://${shownAddress({ host, port: bound.port })}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        serving.stop.abort();
        watch[Symbol.dispose]();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Serving extends ExplorerOptions {
  readonly ledger: PageContext["ledger"];
  readonly watch: Watch;
  readonly names: ReadonlySet<string>;
  readonly limiter: RateLimiter;
  /** Type and text by path. */
  readonly assets: ReadonlyMap<string, readonly [type: string, text: string]>;
  readonly stop: AbortController;
}

async function handle(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = (status: number, text: string, headers: Record<string, string> = {}): void =>
    send(response, status, "text/plain; charset=utf-8", `${text}\n`, headers);
  try {
    if (!isHostOf(request.headers.host, serving.names)) {
      return refuse(
        403,
        "this page is asked for by its address or as localhost: --allow-host adds a name",
      );
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse(405, "nothing is signed or changed here: use the command line, `sion help`", {
        allow: "GET, HEAD",
      });
    }
    // Pages of others may lead here, but show nothing of it and make nothing be asked.
    const { "sec-fetch-site": site, "sec-fetch-mode": mode } = request.headers;
    if (site === "cross-site" && mode !== "navigate") {
      return refuse(403, "pages of other origins may not ask for this one");
    }
    const target = request.url ?? "/";
    const url = target.length > MAX_TARGET ? null : URL.parse(target, "http://explore");
    if (url === null) return refuse(400, "this address cannot be read");
    const turn = serving.limiter.take(clientKey(request, false));
    if (!("sent" in turn)) {
      const seconds = String(Math.ceil(turn.retryMs / 1_000));
      return refuse(429, `too many requests: ask again in ${seconds} s`, {
        "retry-after": seconds,
      });
    }
    using _turn = turn;
    const asset = serving.assets.get(url.pathname);
    if (asset !== undefined) return send(response, 200, ...asset);
    if (url.pathname === "/live" && request.method === "GET") {
      return await streamNews(serving, response);
    }
    // What the script asks for anew has come, whatever is in it: consoles call the rest a fault.
    const isPart = request.headers["sec-fetch-dest"] === "empty";
    await sendPage(serving, url, response, isPart);
  } catch (error) {
    serving.logger.log("error", "A page failed inside", { reason: messageOf(error) });
    refuse(500, "the page failed inside: the log says why");
  }
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed || response.headersSent) return void response.destroy();
  const body = utf8(text);
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    "content-type": type,
    "content-length": body.length,
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** The kind of page at an address, with what `:` stands for. */
function kindAt(path: string): { readonly kind: PageKind; readonly param: string } | undefined {
  for (const kind of pages) {
    if (!kind.path.endsWith(":")) {
      if (kind.path === path) return { kind, param: "" };
      continue;
    }
    const before = kind.path.slice(0, -1);
    const param = path.startsWith(before) ? path.slice(before.length) : "";
    if (/^[A-Za-z0-9_-]{1,64}$/.test(param)) return { kind, param };
  }
  return undefined;
}

async function sendPage(
  serving: Serving,
  url: URL,
  response: ServerResponse,
  isPart: boolean,
): Promise<void> {
  const { client, watch, clock, pinned } = serving;
  const found = kindAt(url.pathname);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const signal = AbortSignal.any([
    gone.signal,
    serving.stop.signal,
    AbortSignal.timeout(PAGE_MS),
  ]);
  let page: Page | Elsewhere;
  try {
    if (found === undefined) {
      throw new SionError("not-found", "there is no page at this address");
    }
    await watch.look(FIRST_LOOK_MS);
    const names = await client.names({ signal });
    const { ledger } = serving;
    const { param } = found;
    const nowMs = clock.nowMs();
    const query = url.searchParams;
    const making = found.kind.make({ client, ledger, watch, param, query, names, nowMs, signal });
    page = await untilAborted(making, signal);
  } catch (error) {
    if (gone.signal.aborted) return;
    page = faultPage(serving, error);
  }
  if ("location" in page) {
    return send(response, 303, "text/plain; charset=utf-8", "", { location: page.location });
  }
  const frame: Frame = {
    section: found?.kind.section,
    query: url.pathname === "/search" ? url.searchParams.get("q") ?? "" : "",
    newest: watch.recent[0],
    trouble: watch.trouble,
    switched: watch.switched,
    node: client.node,
    pinned,
    nowMs: clock.nowMs(),
  };
  const status = isPart ? 200 : page.status ?? 200;
  send(response, status, "text/html; charset=utf-8", layout(page, frame));
}

/** What is made goes on where it does not look at the signal; nobody waits for it. */
async function untilAborted<T>(making: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([making, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    making.catch(() => {});
  }
}

const STATUS: { readonly [code: string]: number } = {
  "not-found": 404,
  "argument": 400,
  "amount": 400,
  "payee": 400,
  "wallet-unknown": 404,
  "busy": 503,
  "limited": 503,
  "node-unreachable": 503,
};

/** What stands where there is no page: why, and what to do next. */
function faultPage(serving: Serving, error: unknown): Page {
  if (!(error instanceof SionError)) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    if (!isLate) throw error;
    return waitingPage(
      serving,
      { code: "late", sentence: "the node takes too long to answer" },
      504,
    );
  }
  const status = STATUS[error.code] ?? 502;
  const told = { code: error.code, sentence: error.message };
  if (status >= 500) return waitingPage(serving, told, status);
  return {
    title: status === 404 ? "Not found" : "Not understood",
    status,
    main: markup`
      <div class="card">
        <p>${prose(`${capital(error.message)}.`)}</p>
        <p>Next: search for a name, an id, a digest or the number of a Pulse above, or in a terminal ${
      typed(command(
        serving,
        "sion events",
      ))
    }.</p>
      </div>
    `,
  };
}

/** A page that becomes another by itself, once the node answers. What the frame says is not said twice. */
function waitingPage({ watch }: Serving, { code, sentence }: Trouble, status: number): Page {
  const isSaid = watch.trouble?.sentence === sentence;
  return {
    title: code === "node-unreachable" ? "The node does not answer" : "Nothing to show now",
    status,
    main: markup`<div id="waits" class="card">${
      !isSaid && markup`<p>${prose(`${capital(sentence)}.`)}</p>`
    }<p>This page goes on by itself once the node answers.</p></div>`,
  };
}

/** News as they come, one object each. A reader that does not keep up is let go. */
async function streamNews(
  { watch, stop }: Serving,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
  response.flushHeaders();
  await new Promise<void>((resolve) => {
    const write = (text: string): void => {
      if (!response.write(text)) response.destroy();
    };
    const news = watch.follow((one) => write(`data: ${stringifyJson(one)}\n\n`));
    const heartbeat = setInterval(() => write(":\n\n"), HEARTBEAT_MS);
    const end = (): void => {
      clearInterval(heartbeat);
      news[Symbol.dispose]();
      stop.signal.removeEventListener("abort", end);
      response.end();
      resolve();
    };
    stop.signal.addEventListener("abort", end, { once: true });
    response.once("close", end);
  });
}
