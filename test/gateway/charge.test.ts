/** What the gateway lets through: one request for each payment, of one method, URL and offer. */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { openSettlementBook } from "#internal/store/mod.ts";
import { encodeHeader, HEADERS } from "#internal/x402/mod.ts";
import { ask, buy, jsonOf, PRICE, requiredOf, serve, settlementOf, useGateway } from "./bench.ts";

const paying = (header: string) => ({ headers: { [HEADERS.payment]: header } });

describe("the gateway", () => {
  const bench = useGateway();

  it("answers with an offer until it is paid, then with the resource [L-328]", async () => {
    const { url } = await bench.start();
    const resource = `${url}/v1/resource`;
    const unpaid = await ask(resource);
    expect(unpaid.status).toBe(402);
    expect(unpaid.headers["cache-control"]).toBe("no-store");
    expect(jsonOf(unpaid)).toEqual(requiredOf(unpaid));
    const required = requiredOf(unpaid);
    expect(required.accepts).toEqual([{
      scheme: "exact",
      network: `sion:${bench.chain.chain.slice(0, 32)}`,
      amount: "250000",
      asset: expect.any(String),
      payTo: await bench.chain.accountOf("bob"),
      maxTimeoutSeconds: 60,
      extra: { method: "GET", url: resource, paymentFlow: "upfront" },
    }]);
    const before = await bench.client.balance("bob");
    const bought = await buy(bench, resource);
    const paid = await ask(resource, paying(bought.header));
    expect([paid.status, paid.body]).toEqual([200, '{"paid":true}']);
    expect(paid.headers["cache-control"]).toContain("private");
    expect(settlementOf(paid)).toEqual({
      success: true,
      transaction: bought.digest,
      network: required.accepts[0]?.network,
      payer: await bench.chain.accountOf("alice"),
      extensions: {
        sion: {
          chain: bench.chain.chain,
          pulse: expect.any(Number),
          quorum: expect.any(Number),
          signedStake: expect.any(Number),
        },
      },
    });
    const after = await bench.client.balance("bob");
    expect(Number(after.balances[0]?.amount) - Number(before.balances[0]?.amount))
      .toBeCloseTo(Number(PRICE) / 1e6);
  });

  it("takes a payment for its own method, URL and offer alone [L-328]", async () => {
    const { url } = await bench.start();
    const bought = await buy(bench, `${url}/v1/resource`);
    const shown = (path: string, method: string, change: object = {}) =>
      ask(`${url}${path}`, {
        method,
        ...paying(encodeHeader({
          x402Version: 2,
          accepted: { ...bought.offer, ...change },
          payload: { transaction: bought.digest, nonce: bought.nonce },
        })),
      });
    const other = async (path: string, method = "GET", change: object = {}) => {
      const answer = await shown(path, method, change);
      expect(answer.status).toBe(402);
      return settlementOf(answer)?.errorReason;
    };
    const mismatch = (what: string): string => `invalid_exact_sion_${what}_mismatch`;
    expect(await other("/v1/resource?x")).toBe(mismatch("resource"));
    expect(await other("/v1/resource?x=1")).toBe(mismatch("resource"));
    expect(await other("/v1/resource", "POST")).toBe(mismatch("resource"));
    expect(await other("/v1/resource", "GET", { amount: "1" })).toBe(mismatch("amount"));
    expect(await other("/v1/resource", "GET", { payTo: "00".repeat(32) }))
      .toBe(mismatch("recipient"));
    expect(await other("/v1/resource", "GET", { network: "sion:00" })).toBe("invalid_network");
    expect(await other("/v1/resource", "GET", { maxTimeoutSeconds: 61 })).toBe("invalid_payload");
    // What was paid for one URL, said to be for another.
    const elsewhere = requiredOf(await ask(`${url}/v1/resource?y`)).accepts[0];
    expect(await other("/v1/resource?y", "GET", elsewhere)).toBe(mismatch("resource"));
    // Nothing of that has used it up.
    expect((await shown("/v1/resource", "GET")).status).toBe(200);
  });

  it("does not take what only looks like a payment", async () => {
    const { url } = await bench.start();
    const resource = `${url}/v1/resource`;
    const bought = await buy(bench, resource);
    const reasonOf = async (payload: object) => {
      const header = encodeHeader({ x402Version: 2, accepted: bought.offer, payload });
      const answer = await ask(resource, paying(header));
      return settlementOf(answer)?.errorReason ?? answer.status;
    };
    const { digest: transaction, nonce } = bought;
    // Whoever sees the chain knows the transaction, and not what its memo is of.
    expect(await reasonOf({ transaction, nonce: "00".repeat(32) }))
      .toBe("invalid_exact_sion_resource_mismatch");
    expect(await reasonOf({ transaction: "ab".repeat(32), nonce })).toBe(
      "invalid_transaction_state",
    );
    expect(await reasonOf({ transaction, nonce: nonce.toUpperCase() })).toBe(400);
    expect(await reasonOf({ transaction })).toBe(400);
    const plain = await bench.client.pay({ from: "alice", to: "bob", amount: PRICE });
    expect(await reasonOf({ transaction: plain.digest, nonce }))
      .toBe("invalid_exact_sion_resource_mismatch");
    for (const header of ["", "x", "e30", "=", "bm8=", "A".repeat(14_000)]) {
      expect((await ask(resource, paying(header))).status).toBe(400);
    }
  });

  it("passes one request on for each payment, however many show it at once [L-328]", async () => {
    let asked = 0;
    await using upstream = await serve((_request, response) => {
      asked++;
      setTimeout(() => response.end("one"), 20);
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const { header } = await buy(bench, `${url}/a`);
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => ask(`${url}/a`, paying(header))),
    );
    expect(asked).toBe(1);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    // While it is answered the others are told to come again, and then get the same answer.
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    const again = await ask(`${url}/a`, paying(header));
    expect([again.status, again.body, asked]).toEqual([200, "one", 1]);
  });

  it("keeps what was taken across a restart, and gives the lost answer again [L-329]", async () => {
    let asked = 0;
    await using upstream = await serve((_request, response) => {
      response.setHeader("x-number", `${++asked}`);
      response.end("kept");
    });
    const first = await bench.start({ upstream: new URL(upstream.url) });
    const { header, digest } = await buy(bench, `${first.url}/a`);
    const port = Number(new URL(first.url).port);
    expect((await ask(`${first.url}/a`, paying(header))).body).toBe("kept");
    await first[Symbol.asyncDispose]();
    const listen = { host: "127.0.0.1", port };
    const second = await bench.start({ upstream: new URL(upstream.url), listen });
    const again = await ask(`${second.url}/a`, paying(header));
    expect([again.status, again.body, again.headers["x-number"]]).toEqual([200, "kept", "1"]);
    expect(settlementOf(again)?.transaction).toBe(digest);
    expect(asked).toBe(1);
  });

  it("asks again for a payment that was taken and never answered, where asking changes nothing", async () => {
    let asked = 0;
    await using upstream = await serve((request, response) => {
      asked++;
      if (asked === 1) request.socket.destroy();
      else response.end("at last");
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const get = await buy(bench, `${url}/a`);
    const failed = await ask(`${url}/a`, paying(get.header));
    expect(failed.status).toBe(502);
    expect(settlementOf(failed)?.success).toBe(true);
    expect((await ask(`${url}/a`, paying(get.header))).body).toBe("at last");
    asked = 0;
    const post = await buy(bench, `${url}/a`, "POST");
    expect((await ask(`${url}/a`, { method: "POST", ...paying(post.header) })).status).toBe(502);
    const again = await ask(`${url}/a`, { method: "POST", ...paying(post.header) });
    expect(settlementOf(again)?.errorReason).toBe("duplicate_settlement");
    expect(asked).toBe(1);
  });

  it("whoever hangs up before the answer may show the payment again", async () => {
    const gone = new AbortController();
    let asked = 0;
    await using upstream = await serve((_request, response) => {
      asked++;
      if (asked === 1) gone.abort();
      else response.end("patience");
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const { header } = await buy(bench, `${url}/a`);
    await expect(fetch(`${url}/a`, { ...paying(header), signal: gone.signal })).rejects.toThrow();
    let again = await ask(`${url}/a`, paying(header));
    // The gateway may not have noticed yet.
    while (again.status === 409) again = await ask(`${url}/a`, paying(header));
    expect([again.status, again.body, asked]).toEqual([200, "patience", 2]);
  });

  it("a payment that a crash left claimed and begun is not answered twice", async () => {
    const { url } = await bench.start();
    const resource = `${url}/v1/resource`;
    const { header, digest } = await buy(bench, resource);
    await ask(resource, paying(header));
    // As if the process had died between the head of the answer and its end.
    const book = openSettlementBook(bench.dir);
    expect(book.find(digest)).toMatchObject({ served: true, by: "gateway" });
    for (let i = 0; i < 300; i++) {
      book.keepAnswer(
        `${i}`,
        { status: 200, headers: "{}", body: new Uint8Array() },
        Date.now() + i,
      );
    }
    book.close();
    expect(settlementOf(await ask(resource, paying(header)))?.errorReason)
      .toBe("duplicate_settlement");
  });

  it("what costs nothing gives nothing of the resource to try it with", async () => {
    const { url } = await bench.start();
    const free = await ask(`${url}/v1/resource`, { method: "OPTIONS" });
    expect([free.status, free.body]).toEqual([200, ""]);
  });

  it("HEAD costs what GET does, OPTIONS nothing, and paths have one form", async () => {
    const seen: string[] = [];
    await using upstream = await serve((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.end(request.method === "HEAD" ? undefined : "x");
    });
    const { url } = await bench.start({ upstream: new URL(`${upstream.url}/base/`) });
    expect((await ask(`${url}/a`, { method: "HEAD" })).status).toBe(402);
    const free = await ask(`${url}/a`, { method: "OPTIONS" });
    expect([free.status, free.body]).toEqual([200, ""]);
    expect(seen).toEqual(["OPTIONS /base/a"]);
    const bought = await buy(bench, `${url}/%7euser/b`);
    expect(bought.offer.extra?.["url"]).toBe(`${url}/~user/b`);
    const head = await ask(`${url}/~user/b`, { method: "HEAD", ...paying(bought.header) });
    expect([head.status, head.body]).toEqual([200, ""]);
    expect(seen.at(-1)).toBe("HEAD /base/~user/b");
    expect((await ask(`${url}/${"a".repeat(3_000)}`)).status).toBe(400);
  });

  it("passes bodies through both ways as they come, without what is about payment", async () => {
    let seen: Record<string, unknown> = {};
    let body = "";
    await using upstream = await serve((request, response) => {
      seen = request.headers;
      request.setEncoding("utf8").on("data", (part: string) => (body += part));
      request.once("end", () => {
        response.setHeader("payment-response", "forged");
        response.setHeader("x-own", "yes");
        response.write("first ");
        setTimeout(() => response.end("second"), 10);
      });
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const { header, digest } = await buy(bench, `${url}/echo`, "POST");
    const answer = await ask(`${url}/echo`, {
      method: "POST",
      body: "a body",
      headers: {
        [HEADERS.payment]: header,
        "x-payment": "old",
        "x-forwarded-for": "1.2.3.4",
        "connection": "close, x-hop",
        "x-hop": "1",
        "x-kept": "kept",
      },
    });
    expect([answer.status, answer.body, body]).toEqual([200, "first second", "a body"]);
    expect(answer.headers["x-own"]).toBe("yes");
    expect(settlementOf(answer)?.transaction).toBe(digest);
    expect(seen["x-kept"]).toBe("kept");
    expect(seen["x-forwarded-for"]).toBe("127.0.0.1");
    for (const name of [HEADERS.payment, "x-payment", "x-hop", "upgrade"]) {
      expect(seen[name]).toBeUndefined();
    }
  });

  it("gives an answer that never ends as it comes, and takes no WebSocket", async () => {
    await using upstream = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const { header } = await buy(bench, `${url}/events`);
    const answer = await fetch(`${url}/events`, paying(header));
    const reader = answer.body?.getReader();
    const part = await reader?.read();
    expect(new TextDecoder().decode(part?.value)).toBe("data: 1\n\n");
    await reader?.cancel();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\n` +
        `Upgrade: websocket\r\n${HEADERS.payment}: ${header}\r\n\r\n`,
    );
    let said = "";
    for await (const chunk of socket) said += String(chunk);
    expect(said).toMatch(/^HTTP\/1\.1 501 /);
  });
});
