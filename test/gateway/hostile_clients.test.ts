/** What strangers send to a gateway: nothing of it is passed on without a payment, or keeps others out. */
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { Client } from "#internal/client/mod.ts";
import { encodeHeader, HEADERS } from "#internal/x402/mod.ts";
import { ask, buy, requiredOf, serve, settlementOf, useGateway } from "./bench.ts";

const paying = (header: string) => ({ headers: { [HEADERS.payment]: header } });

/** A server that reads bytes and answers the first request of each connection, once `isWhole`. */
async function byteServer(
  isWhole: (text: string) => boolean,
): Promise<AsyncDisposable & { readonly url: string; readonly got: () => Promise<string> }> {
  const ended = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    let text = "";
    let isAnswered = false;
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (isAnswered || !isWhole(text)) return;
      isAnswered = true;
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    socket.on("error", () => {});
    socket.once("close", () => ended.resolve(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got: () => ended.promise,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function connected(url: string, options: { readonly allowHalfOpen?: boolean } = {}): Socket {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port), ...options });
}

/** What is answered to these very bytes. */
async function answerTo(url: string, text: string): Promise<string> {
  const socket = connected(url);
  socket.write(text);
  let said = "";
  for await (const part of socket) said += String(part);
  return said;
}

const HIDDEN = "POST /free HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
const CHUNKED = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;

describe("strangers at the gateway", () => {
  const bench = useGateway();

  it.each([
    ["OPTIONS", "Transfer-Encoding: chunked", CHUNKED],
    ["OPTIONS", `Content-Length: ${HIDDEN.length}`, HIDDEN],
    ["GET", "Transfer-Encoding: chunked", CHUNKED],
    ["DELETE", "Transfer-Encoding: chunked", CHUNKED],
    ["GET", `Content-Length: ${HIDDEN.length}\r\nConnection: content-length`, HIDDEN],
  ])("the body of %s with %j is no request of its own behind it", async (method, lines, body) => {
    const isFree = method === "OPTIONS";
    await using upstream = await byteServer((text) =>
      isFree ? text.endsWith("\r\n\r\n") : text.includes("/free") && text.endsWith("\r\n\r\n")
    );
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const payment = isFree
      ? ""
      : `${HEADERS.payment}: ${(await buy(bench, `${url}/a`, method)).header}\r\n`;
    const close = lines.includes("Connection") ? "" : "Connection: close\r\n";
    const socket = connected(url);
    socket.write(`${method} /a HTTP/1.1\r\nHost: x\r\n${payment}${close}${lines}\r\n\r\n${body}`);
    socket.on("error", () => {}).resume();
    const [head = "", ...rest] = (await upstream.got()).split("\r\n\r\n");
    const after = rest.join("\r\n\r\n");
    socket.destroy();
    if (isFree) expect([head, after]).toEqual([expect.not.stringMatching(/length|chunk/i), ""]);
    else if (/^content-length: (\d+)$/mi.exec(head)?.[1] === `${HIDDEN.length}`) {
      expect(after).toBe(HIDDEN);
    } else {
      expect(head).toMatch(/^transfer-encoding: chunked$/mi);
      expect(after).toBe(CHUNKED);
    }
  });

  it.each([
    ["both lengths", "Content-Length: 3\r\nTransfer-Encoding: chunked", 400],
    ["two lengths", "Content-Length: 3\r\nContent-Length: 4", 400],
    ["another encoding", "Transfer-Encoding: gzip, chunked", 501],
    ["space before a colon", "Transfer-Encoding : chunked", 400],
    ["a folded header", "X-A: 1\r\n chunked", 400],
    ["too long a body", `Content-Length: ${11 << 20}`, 413],
  ])("refuses a request with %s, paid or not", async (_what, lines, status) => {
    let asked = 0;
    await using upstream = await serve((_request, response) => {
      asked++;
      response.end("got in");
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    for (const method of ["GET", "OPTIONS"]) {
      const said = await answerTo(
        url,
        `${method} /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n\r\n0\r\n\r\n`,
      );
      expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
    expect(asked).toBe(0);
  });

  it("refuses a body of chunks that grows too long", async () => {
    await using upstream = await serve((request) => void request.resume());
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const { header } = await buy(bench, `${url}/a`, "PUT");
    const part = new Uint8Array(1 << 20);
    const answer = await fetch(`${url}/a`, {
      method: "PUT",
      ...paying(header),
      duplex: "half",
      body: new ReadableStream({ pull: (controller) => controller.enqueue(part) }),
    } as RequestInit).then(({ status }) => status, () => "broken off");
    // Whether the answer is read while the body is still written is up to the client.
    expect([413, "broken off"]).toContain(answer);
  });

  it("passes no header on that names another method, URL or client than was paid for", async () => {
    let seen: IncomingMessage["headers"] = {};
    await using upstream = await serve((request, response) => {
      seen = request.headers;
      response.end("x");
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const names = [
      ...["x-http-method-override", "x-http-method", "x-method-override"],
      ...["x-original-url", "x-original-uri", "x-rewrite-url", "x-real-ip", "forwarded"],
    ];
    const lies = Object.fromEntries(names.map((name) => [name, "/admin"]));
    await ask(`${url}/a`, { method: "OPTIONS", headers: lies });
    expect(Object.keys(seen).filter((name) => names.includes(name))).toEqual([]);
    const { header } = await buy(bench, `${url}/a`, "POST");
    await ask(`${url}/a`, { method: "POST", headers: { ...lies, ...paying(header).headers } });
    expect(Object.keys(seen).filter((name) => names.includes(name))).toEqual([]);
  });

  it("takes no payment for the same path written otherwise, of another host or query [L-328]", async () => {
    const seen: string[] = [];
    await using upstream = await serve((request, response) => {
      seen.push(String(request.url));
      response.end("x");
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const bought = await buy(bench, `${url}/a/b?x=1`);
    const others = [
      "/a/b",
      "/a/b?x=1&y=2",
      "/a/b?x=%31%32",
      "/A/b?x=1",
      "/a//b?x=1",
      "/a%2Fb?x=1",
      "/a/b/?x=1",
      "/a/b;v=1?x=1",
      "/../secret?x=1",
      "/a/b%00?x=1",
    ];
    for (const path of others) {
      const answer = await ask(`${url}/`, { method: "GET", ...paying(bought.header) });
      expect(answer.status).toBe(402);
      const said = await answerTo(
        url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${HEADERS.payment}: ${bought.header}\r\n\r\n`,
      );
      expect([path, said]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 402 /)]);
    }
    expect(seen).toEqual([]);
    // The same in normal form is the same, whoever the client says that it calls.
    const said = await answerTo(
      url,
      `GET /./c/../a/%62?x=%31 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n${HEADERS.payment}: ${bought.header}\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen).toEqual(["/a/b?x=1"]);
  });

  it("answers one of a hundred that show a payment at once, at two gateways with one book [L-328]", async () => {
    const more = Promise.withResolvers<void>();
    const asked: (() => void)[] = [];
    const waits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using upstream = await serve((_request, response) => {
      const number = asked.push(() => response.end(`number ${number}`));
      waits[number - 1]?.resolve();
      void more.promise.then(asked[number - 1]);
    });
    const options = { upstream: new URL(upstream.url), origin: "http://api.example" };
    const [one, two] = [await bench.start(options), await bench.start(options)];
    const offer = requiredOf(await ask(`${one.listening}/a`)).accepts[0];
    if (offer === undefined) throw new Error("There is no offer");
    const { header } = await bench.pay(offer);
    const fifty = ({ listening }: { readonly listening: string }) =>
      Array.from({ length: 50 }, () => ask(`${listening}/a`, paying(header)));
    const first = fifty(one);
    await waits[0]?.promise;
    // None is answered yet, so that the other one passes it on as well.
    const second = fifty(two);
    await waits[1]?.promise;
    more.resolve();
    const answers = await Promise.all([...first, ...second]);
    const given = answers.filter(({ status }) => status === 200);
    expect([asked.length, new Set(given.map(({ body }) => body)).size]).toEqual([2, 1]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.every(({ status }) => status === 409)).toBe(true);
  });

  it("is not kept from answering by those who name payments that never come", async () => {
    const release = Promise.withResolvers<"unknown">();
    let waiting = 0;
    const client = Object.create(bench.client, {
      provenTransaction: {
        value: async (digest: string, options: { waitMs: number; chain: string }) => {
          const found = await bench.client.provenTransaction(digest, { ...options, waitMs: 0 });
          if (typeof found === "object" || options.waitMs === 0) return found;
          waiting++;
          return await release.promise;
        },
      },
    }) as Client;
    const { url } = await bench.start({ client });
    const resource = `${url}/v1/resource`;
    const bought = await buy(bench, resource);
    const madeUp = Array.from({ length: 200 }, (_, i) => {
      const payload = { transaction: i.toString(16).padStart(64, "0"), nonce: "00".repeat(32) };
      const header = encodeHeader({ x402Version: 2, accepted: bought.offer, payload });
      return ask(resource, paying(header));
    });
    const told = await Promise.race(madeUp);
    expect(settlementOf(told)?.errorReason).toBe("settlement_pending");
    expect((await ask(resource, paying(bought.header))).status).toBe(200);
    release.resolve("unknown");
    const reasons = new Set(
      (await Promise.all(madeUp)).map((one) => settlementOf(one)?.errorReason ?? one.status),
    );
    expect([...reasons].toSorted()).toEqual(["invalid_transaction_state", "settlement_pending"]);
    expect(waiting).toBe(64);
  });

  it("outlives those who break off as they leave HTTP, and ends their connections", async () => {
    const { url } = await bench.start();
    const leaving =
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    for (let i = 0; i < 20; i++) {
      const socket = connected(url).on("error", () => {});
      await new Promise((resolve) => socket.write(leaving, resolve));
      socket.resetAndDestroy();
    }
    // One that never ends its own half is ended all the same.
    const staying = connected(url, { allowHalfOpen: true });
    staying.write(leaving);
    let said = "";
    staying.setEncoding("utf8").on("data", (part: string) => (said += part));
    await new Promise((resolve) => staying.once("end", resolve));
    expect(said).toMatch(/^HTTP\/1\.1 501 /);
    const gone = new Promise((resolve) => staying.once("close", resolve));
    staying.on("error", () => {});
    const writing = setInterval(() => void staying.write("x"), 50);
    await gone;
    clearInterval(writing);
    expect((await ask(`${url}/v1/resource`)).status).toBe(402);
  });

  it("keeps so many connections of one client, and takes others when they have ended", async () => {
    const { url } = await bench.start({ connections: { ofClient: 3 } });
    const idle = Array.from({ length: 3 }, () => connected(url));
    await Promise.all(
      idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))),
    );
    await expect(ask(`${url}/v1/resource`)).rejects.toThrow();
    for (const socket of idle) socket.destroy();
    // When the server notices is up to the system.
    let status = 0;
    while (status === 0) status = await ask(`${url}/v1/resource`).then((a) => a.status, () => 0);
    expect(status).toBe(402);
  });

  it("charges nothing where there is nothing to buy [L-328]", async () => {
    const { url } = await bench.start();
    const answer = await ask(`${url}/v1/other`);
    expect([answer.status, answer.body]).toEqual([
      404,
      '{"error":"there is only /v1/resource here"}',
    ]);
    expect((await ask(`${url}//x/v1/resource`)).status).toBe(404);
  });
});
