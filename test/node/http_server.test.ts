import { getEventListeners } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { parseJson, silentLogger, stringifyJson, utf8, utf8Text } from "#internal/core/mod.ts";
import type { EventView, RpcCalls } from "#internal/rpc/mod.ts";
import { encodeRequest, MAX_BODY_BYTES, methods, RpcError } from "#internal/rpc/mod.ts";
import type { HttpClient } from "#internal/runtime/mod.ts";
import { createHttpClient } from "#internal/runtime/mod.ts";
import type { EventFeed } from "../../internal/node/event_feed.ts";
import { createEventFeed } from "../../internal/node/event_feed.ts";
import { startHttpServer } from "../../internal/node/http_server.ts";
import type { HttpServer, HttpServerOptions } from "../../internal/node/http_server.ts";

const ID = "ab".repeat(32);

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing[Symbol.asyncDispose]();
});

interface Started {
  readonly server: HttpServer;
  readonly http: HttpClient;
  /** Tells the feed of a new Pulse. */
  readonly pulse: () => void;
}

async function start(
  calls: Partial<RpcCalls>,
  more: Partial<HttpServerOptions> = {},
): Promise<Started> {
  const listeners: (() => void)[] = [];
  const all = calls as RpcCalls;
  const server = await startHttpServer({
    host: "127.0.0.1",
    port: 0,
    calls: all,
    events: createEventFeed(all, (listener) => listeners.push(listener)),
    logger: silentLogger,
    ...more,
  });
  opened.push(server);
  const http = createHttpClient();
  opened.push({ [Symbol.asyncDispose]: () => Promise.resolve(http[Symbol.dispose]()) });
  return { server, http, pulse: () => listeners.forEach((listener) => listener()) };
}

const CLOSE = "Host: localhost\r\nConnection: close\r\n";
const POST_HEAD = "POST /rpc/account HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n";

/** What the server answers to these bytes, until it closes the connection. */
async function raw(port: number, sent: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(sent);
  let text = "";
  for await (const chunk of socket) text += utf8Text(chunk as Uint8Array);
  return text;
}

async function post(
  { server, http }: Started,
  path: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; value: unknown }> {
  const answer = await http.request({
    url: `${server.url}${path}`,
    method: "POST",
    body: utf8(body),
    headers,
  });
  return { status: answer.status, value: parseJson(utf8Text(answer.body)) };
}

const account: RpcCalls["account"] = ({ account }) =>
  Promise.resolve({
    account,
    balances: [{ amount: 9007199254740993n, asset: ID, symbol: "USD" }],
    exists: true,
    next_sequence: 3n,
    pulse: 7,
    reserved: 0n,
    sequence: 3n,
  });

describe("startHttpServer()", () => {
  test("a unit's bytes are taken as they are, other parameters from the query", async () => {
    const given: unknown[] = [];
    const started = await start({
      submit(params) {
        given.push(params);
        return Promise.reject(new RpcError("refused", "not today"));
      },
    });
    const tx = Uint8Array.from({ length: 70_000 }, (_, i) => i);
    const { url } = started.server;
    for (const params of [{ tx }, { tx, forced: true }]) {
      const { query, contentType, body } = encodeRequest(methods.submit, params);
      const headers = { "content-type": contentType };
      const path = `${url}/rpc/submit${query}`;
      const { status } = await started.http.request({ url: path, method: "POST", headers, body });
      expect(status).toBe(409);
    }
    expect(given).toEqual([{ tx }, { tx, forced: true }]);
    const asJson = await post(started, "/rpc/submit", `{"forced":false,"tx":"00ff"}`);
    expect(asJson.status).toBe(409);
    expect(given[2]).toEqual({ tx: Uint8Array.of(0, 255), forced: false });
  });

  test.each(["Application/Octet-Stream; charset=x", " application/octet-stream ;a=b"])(
    "bytes are known by their media type in any case, with parameters: %s",
    async (type) => {
      const given: unknown[] = [];
      const started = await start({
        submit(params) {
          given.push(params);
          return Promise.reject(new RpcError("refused", "not today"));
        },
      });
      const { status } = await post(started, "/rpc/submit", "ab", { "content-type": type });
      expect([status, given]).toEqual([409, [{ tx: utf8("ab") }]]);
    },
  );

  test("a request that says that its body is too large is refused before it comes", async () => {
    const started = await start({ account });
    const answer = await raw(
      started.server.port,
      `POST /rpc/account HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${
        MAX_BODY_BYTES + 1
      }\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"too-large"');
  });

  test.each([
    ["another parameter", "?more=1", "more is no member"],
    ["a parameter of another shape", "?forced=1", "forced: a boolean is needed"],
    ["what is no JSON", "?forced=yes", "JSON is needed"],
  ])("bytes with %s in the query are refused", async (_what, query, message) => {
    const started = await start({});
    const headers = { "content-type": "application/octet-stream" };
    expect(await post(started, `/rpc/submit${query}`, "bytes", headers)).toMatchObject({
      status: 400,
      value: { error: { code: "bad-request", message: expect.stringContaining(message) } },
    });
  });

  test("startHttpServer() answers a method with exact JSON", async () => {
    const started = await start({ account });
    const http = await started.http.request({
      url: `${started.server.url}/rpc/account`,
      method: "POST",
      body: utf8(stringifyJson({ account: ID })),
    });
    expect(http.status).toBe(200);
    expect(http.headers["content-type"]).toBe("application/json");
    expect(utf8Text(http.body)).toContain('"amount":9007199254740993,');
  });

  test.each<[string, string, number, string]>([
    ["/rpc/account", "{", 400, "bad-request"],
    ["/rpc/account", "{}", 400, "bad-request"],
    ["/rpc/account", `{"account":"${ID}","x":1}`, 400, "bad-request"],
    ["/rpc/none", "{}", 404, "unknown-method"],
    ["/rpc/constructor", "{}", 404, "unknown-method"],
    ["/", "{}", 404, "unknown-method"],
  ])(
    "startHttpServer() refuses what is not in the contract: %s %s",
    async (path, body, status, code) => {
      const answer = await post(await start({ account }), path, body);
      expect(answer).toMatchObject({ status, value: { error: { code } } });
    },
  );

  test("startHttpServer() passes on a method's error with its retry time", async () => {
    const started = await start({
      status: () =>
        Promise.reject(new RpcError("busy", "Too much waits", { data: { retry_after_ms: 250 } })),
    });
    expect(await post(started, "/rpc/status", "")).toEqual({
      status: 503,
      value: { error: { code: "busy", message: "Too much waits", retry_after_ms: 250 } },
    });
  });

  test("startHttpServer() tells nothing of a fault inside", async () => {
    const started = await start({ status: () => Promise.reject(new Error("/secret")) });
    const { status, value } = await post(started, "/rpc/status", "{}");
    expect(status).toBe(500);
    expect(stringifyJson(value)).not.toContain("secret");
  });

  test("startHttpServer() refuses deeply nested JSON without parsing it", async () => {
    const started = await start({ account });
    const deep = `{"account":${"[".repeat(400_000)}${"]".repeat(400_000)}}`;
    expect(await post(started, "/rpc/account", deep)).toMatchObject({
      status: 400,
      value: {
        error: { message: "Cannot read parameters: JSON is needed, nested at most 64 deep" },
      },
    });
  });

  test("startHttpServer() refuses a body over the limit and goes on", async () => {
    const started = await start({ account });
    const large = " ".repeat(MAX_BODY_BYTES + 1);
    expect(await post(started, "/rpc/account", large)).toMatchObject({
      status: 413,
      value: { error: { code: "too-large" } },
    });
    expect((await post(started, "/rpc/account", `{"account":"${ID}"}`)).status).toBe(200);
  });

  test.each([
    [{ origin: "http://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ host: "evil.example" }, 403],
    [{ host: "evil.example:80", origin: "http://evil.example:80" }, 403],
    [{ host: "localhost:8400" }, 200],
    [{ host: "[::1]:8400" }, 200],
  ])("startHttpServer() lets no web page ask: %o", async (headers, status) => {
    const started = await start({ account });
    const answer = await post(started, "/rpc/account", `{"account":"${ID}"}`, headers);
    expect(answer.status).toBe(status);
  });

  test.each([
    [{ host: "evil.example" }, 403],
    [{ host: "" }, 403],
    [{ host: "node.example.evil.example" }, 403],
    [{ host: "Node.Example:8400" }, 200],
    [{ host: "localhost" }, 200],
    [{ host: "192.0.2.7:8400" }, 200],
    [{ host: "[2001:db8::1]:8400" }, 200],
  ])(
    "startHttpServer() keeps to known names on every interface too: %o",
    async (headers, status) => {
      const started = await start({ account }, { host: "0.0.0.0", allowHosts: ["node.example"] });
      const { port } = started.server;
      const server = { ...started.server, url: `http://127.0.0.1:${port}` };
      const answer = await post(
        { ...started, server },
        "/rpc/account",
        `{"account":"${ID}"}`,
        headers,
      );
      expect(answer.status).toBe(status);
      if (headers.host === "evil.example") {
        expect(answer.value).toEqual({
          error: {
            code: "forbidden",
            message: "This node is asked by its address or as localhost, not as evil.example: " +
              "--allow-host adds a name",
          },
        });
      }
    },
  );

  test.each(["//", "http://[::bad/rpc/account", "http://x:99999999/"])(
    "startHttpServer() answers a path that is none: %s",
    async (path) => {
      const lines: string[] = [];
      const { server } = await start({ account }, {
        logger: { log: (level) => lines.push(level) },
      });
      const answer = await raw(server.port, `POST ${path} HTTP/1.1\r\n${CLOSE}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"code":"bad-request"/);
      expect(lines).not.toContain("error");
    },
  );

  test("startHttpServer() does not call it a fault when a client hangs up in the middle", async () => {
    const told = Promise.withResolvers<string>();
    const { server } = await start({ account }, { logger: { log: told.resolve } });
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`${POST_HEAD}{`, () => socket.destroy());
    expect(await told.promise).toBe("debug");
  });

  test.each(["", "POST /rpc/account HTTP/1.1\r\n", POST_HEAD])(
    "startHttpServer() ends a request that does not arrive: %j",
    async (sent) => {
      const { server } = await start({ account }, { requestMs: 60 });
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.resume();
      socket.write(sent);
      await new Promise((resolve) => socket.once("close", resolve));
    },
  );

  test("startHttpServer() aborts a long poll whose client is gone", async () => {
    const begun = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const started = await start({
      receipt(_params, options) {
        options?.signal?.addEventListener("abort", () => aborted.resolve());
        begun.resolve();
        return new Promise(() => {});
      },
    });
    const abort = new AbortController();
    const asked = started.http.request({
      url: `${started.server.url}/rpc/receipt`,
      method: "POST",
      body: utf8(`{"digest":"${ID}","wait_ms":30000}`),
      signal: abort.signal,
    });
    await begun.promise;
    abort.abort(new Error("gone"));
    await expect(asked).rejects.toThrow("gone");
    await aborted.promise;
  });

  test("startHttpServer() closes a connection beyond those it takes at once", async () => {
    const { server } = await start({ account }, { maxConnections: 1 });
    const first = connect(server.port, "127.0.0.1");
    first.write("POST /rpc/account HTTP/1.1\r\n");
    await new Promise((resolve) => first.once("connect", resolve));
    const second = connect(server.port, "127.0.0.1");
    second.on("error", () => {});
    await new Promise((resolve) => second.once("close", resolve));
    expect(first.destroyed).toBe(false);
    first.destroy();
  });

  test("startHttpServer() survives bytes that are no HTTP", async () => {
    const started = await start({ account });
    const socket = connect(started.server.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    socket.write("\0\0\0 nonsense\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
    expect((await post(started, "/rpc/account", `{"account":"${ID}"}`)).status).toBe(200);
  });

  test("startHttpServer() names the way out of a port in use", async () => {
    const { server } = await start({});
    const second = startHttpServer({
      host: "127.0.0.1",
      port: server.port,
      calls: {} as RpcCalls,
      events: createEventFeed({} as RpcCalls, () => {}),
      logger: silentLogger,
    });
    await expect(second).rejects.toMatchObject({
      code: "address-in-use",
      message: `127.0.0.1:${server.port} is in use: stop what uses it, ` +
        "or give --listen 127.0.0.1:0 for any free port",
    });
  });
});

describe("GET /events", () => {
  /** A ledger's events that a test adds to. */
  function ledger(): { events: EventView[]; calls: Partial<RpcCalls> } {
    const events: EventView[] = [];
    return {
      events,
      calls: {
        status: () => Promise.resolve({ pulse: 4 } as Awaited<ReturnType<RpcCalls["status"]>>),
        events({ from = 0, skip = 0, limit = 50 }) {
          const later = events.filter(({ pulse }) => pulse >= from);
          const page = later.slice(skip, skip + limit);
          const last = page.at(-1);
          const next = last === undefined ? { from, skip } : {
            from: last.pulse,
            skip: page.filter(({ pulse }) => pulse === last.pulse).length +
              (last.pulse === from ? skip : 0),
          };
          return Promise.resolve({ events: page, next, pulse: 9 });
        },
      },
    };
  }

  function event(pulse: number, name: string): EventView {
    return { event: { [name]: {} }, pulse, tx: null };
  }

  test("GET /events streams what is there and what comes, each once and in order [L-283 L-289]", async () => {
    const { events, calls } = ledger();
    events.push(event(3, "A"), event(5, "B"), event(5, "C"));
    const started = await start(calls);
    const { status, headers, chunks } = await started.http.stream({
      url: `${started.server.url}/events?from=4`,
    });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/event-stream");
    let text = "";
    let added = false;
    for await (const chunk of chunks) {
      text += utf8Text(chunk);
      if (text.includes('"C"') && !added) {
        added = true;
        events.push(event(5, "D"), event(6, "E"));
        started.pulse();
      }
      if (text.includes('"E"')) break;
    }
    const names = [...text.matchAll(/^data: \{"event":\{"(.)"/gm)].map(([, name]) => name);
    expect(names).toEqual(["B", "C", "D", "E"]);
    expect([...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual([
      "5-1",
      "5-2",
      "5-3",
      "6-1",
    ]);
  });

  test("GET /events begins with the next Pulse when none is named, and refuses nonsense", async () => {
    const { events, calls } = ledger();
    events.push(event(4, "A"), event(5, "B"));
    const started = await start(calls);
    const { chunks } = await started.http.stream({ url: `${started.server.url}/events` });
    for await (const chunk of chunks) {
      expect(utf8Text(chunk)).toContain('"B"');
      break;
    }
    const bad = await started.http.request({ url: `${started.server.url}/events?from=-1` });
    expect(bad.status).toBe(400);
  });
});

describe("createEventFeed()", () => {
  /** A feed whose ledger has one event in each Pulse up to the last. */
  function feed(): { feed: EventFeed; pulse: () => void; asked: () => number } {
    let last = 0;
    let asked = 0;
    let told = (): void => {};
    const made = createEventFeed({
      status: () => Promise.resolve({ pulse: 0 } as Awaited<ReturnType<RpcCalls["status"]>>),
      events({ from = 0 }) {
        asked++;
        const events = from > last ? [] : [{ event: { E: {} }, pulse: from, tx: null }];
        return Promise.resolve({ events, next: { from: last + 1, skip: 0 }, pulse: last });
      },
    }, (callback) => {
      told = callback;
    });
    return {
      feed: made,
      asked: () => asked,
      pulse() {
        last++;
        told();
      },
    };
  }

  test("createEventFeed() leaves nothing behind at each Pulse, however long a stream goes on", async () => {
    const { feed: made, pulse } = feed();
    const abort = new AbortController();
    let reactions = 0;
    const race = Promise.race.bind(Promise);
    // A race with a promise that settles last keeps what lost against it until then.
    using _spy = vi.spyOn(Promise, "race").mockImplementation((promises) => {
      reactions++;
      return race(promises);
    });
    const stream = made.follow(1, abort.signal)[Symbol.asyncIterator]();
    for (let n = 1; n <= 50; n++) {
      const next = stream.next();
      pulse();
      expect((await next).value).toMatchObject({ id: `${n}-1` });
      expect(getEventListeners(abort.signal, "abort").length).toBeLessThanOrEqual(1);
    }
    expect(reactions).toBe(0);
    const last = stream.next();
    abort.abort();
    expect(await last).toMatchObject({ done: true });
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
  });

  test("createEventFeed() asks again at a Pulse that comes while it asks", async () => {
    const { feed: made, pulse, asked } = feed();
    const abort = new AbortController();
    const stream = made.follow(1, abort.signal)[Symbol.asyncIterator]();
    const next = stream.next();
    expect(asked()).toBe(1);
    pulse();
    expect((await next).value).toMatchObject({ id: "1-1" });
    expect(asked()).toBe(2);
    abort.abort();
    expect(await stream.next()).toMatchObject({ done: true });
  });
});
