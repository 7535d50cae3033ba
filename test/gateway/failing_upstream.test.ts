/** What becomes of a payment where the server behind the gateway fails: one success for each. */
import { describe, expect, it } from "vitest";
import { HEADERS } from "#internal/x402/mod.ts";
import { ask, buy, requiredOf, serve, settlementOf, useGateway } from "./bench.ts";

const ORIGIN = "http://api.example";
const paying = (header: string) => ({ headers: { [HEADERS.payment]: header } });

describe("the gateway before a server that fails", () => {
  const bench = useGateway();

  it("takes an answer above 499 to GET for none: the payment stays good until there is one", async () => {
    const statuses = [500, 503, 404];
    await using upstream = await serve((_request, response) =>
      void response.writeHead(statuses.shift() ?? 200, { "content-length": 2 }).end("ok")
    );
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const { header, digest } = await buy(bench, `${url}/a`);
    for (const expected of [500, 503, 404, 404]) {
      const answer = await ask(`${url}/a`, paying(header));
      expect(answer.status).toBe(expected);
      expect(settlementOf(answer)).toMatchObject({ success: true, transaction: digest });
    }
    // What the server did answer is the answer, and kept: that there is nothing, too.
    expect(statuses).toEqual([]);
  });

  it("passes what may have changed something on once, whatever became of it", async () => {
    let asked = 0;
    await using upstream = await serve((_request, response) => {
      asked++;
      response.writeHead(500).end("half done");
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const { header } = await buy(bench, `${url}/a`, "POST");
    const post = () => ask(`${url}/a`, { method: "POST", ...paying(header) });
    // The same answer again, and no second request.
    expect([(await post()).body, (await post()).body, asked]).toEqual([
      "half done",
      "half done",
      1,
    ]);
    await using gone = await serve(({ socket }) => void socket.destroy());
    const silent = await bench.start({ upstream: new URL(gone.url) });
    const other = await buy(bench, `${silent.url}/a`, "POST");
    const failed = await ask(`${silent.url}/a`, { method: "POST", ...paying(other.header) });
    expect([failed.status, failed.body]).toEqual([
      502,
      '{"error":"the server behind this one cannot be reached: it may have been carried out, so the payment is used up"}',
    ]);
    const again = await ask(`${silent.url}/a`, { method: "POST", ...paying(other.header) });
    expect(settlementOf(again)?.errorReason).toBe("duplicate_settlement");
  });

  it.each(["GET", "POST"])(
    "keeps a payment of %s good while there is no connection",
    async (method) => {
      await using upstream = await serve((_request, response) => void response.end("up again"));
      // Nothing listens at the first port there is.
      const down = await bench.start({ upstream: new URL("http://127.0.0.1:1"), origin: ORIGIN });
      const offer = requiredOf(await ask(`${down.listening}/a`, { method })).accepts[0];
      if (offer === undefined) throw new Error("There is no offer");
      const { header } = await bench.pay(offer);
      for (let i = 0; i < 2; i++) {
        const failed = await ask(`${down.listening}/a`, { method, ...paying(header) });
        expect([failed.status, failed.body]).toEqual([
          502,
          '{"error":"the server behind this one cannot be reached: show the payment again"}',
        ]);
      }
      const up = await bench.start({ upstream: new URL(upstream.url), origin: ORIGIN });
      const answer = await ask(`${up.listening}/a`, { method, ...paying(header) });
      expect([answer.status, answer.body]).toEqual([200, "up again"]);
    },
  );

  it("ends an answer that breaks off, and does not begin another for its payment", async () => {
    let asked = 0;
    await using upstream = await serve((_request, response) => {
      asked++;
      response.writeHead(200, { "content-length": 100 });
      response.write("half", () => response.destroy());
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const { header } = await buy(bench, `${url}/a`);
    await expect(ask(`${url}/a`, paying(header))).rejects.toThrow();
    let again = await ask(`${url}/a`, paying(header));
    // The gateway may not have noticed yet.
    while (again.status === 409) again = await ask(`${url}/a`, paying(header));
    expect([settlementOf(again)?.errorReason, asked]).toEqual(["duplicate_settlement", 1]);
  });

  it("passes parts and conditions through, and gives a kept answer without a body none", async () => {
    await using upstream = await serve((request, response) => {
      if (request.headers["if-none-match"] === '"a"') return void response.writeHead(304).end();
      if (request.headers.range !== "bytes=0-1") return void response.end("whole");
      response.writeHead(206, { "content-range": "bytes 0-1/5" }).end("wh");
    });
    const { url } = await bench.start({ upstream: new URL(upstream.url) });
    const part = await buy(bench, `${url}/a`);
    const partial = await ask(`${url}/a`, {
      headers: { range: "bytes=0-1", [HEADERS.payment]: part.header },
    });
    expect([partial.status, partial.headers["content-range"], partial.body])
      .toEqual([206, "bytes 0-1/5", "wh"]);
    const fresh = await buy(bench, `${url}/b`);
    for (let i = 0; i < 2; i++) {
      const same = await ask(`${url}/b`, {
        headers: { "if-none-match": '"a"', [HEADERS.payment]: fresh.header },
      });
      expect([same.status, same.headers["content-length"], same.body]).toEqual([
        304,
        undefined,
        "",
      ]);
    }
  });
});
