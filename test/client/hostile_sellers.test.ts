/** Servers that charge and mean no good: what is paid to them at most, and what never. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { USD as ASSET } from "#internal/ledger/mod.ts";
import type { JsonObject, PaymentRequirements } from "#internal/x402/mod.ts";
import { encodeHeader, HEADERS, HEADERS_V1, offerOf } from "#internal/x402/mod.ts";
import { PRICE, serve, useGateway } from "../gateway/bench.ts";
import { buyerOf, errorOf } from "./_buyer.ts";

describe("Client.fetchPaid() at a hostile server", () => {
  const bench = useGateway();

  const { fetchPaid, paymentsMade } = buyerOf(bench);

  const isPaid = ({ headers }: IncomingMessage): boolean =>
    headers[HEADERS.payment] !== undefined || headers[HEADERS_V1.payment] !== undefined;

  /** A server that asks for what the test has it ask for, and answers who shows a payment. */
  async function seller(
    accepts: (offer: PaymentRequirements) => readonly JsonObject[],
    paid: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
      void response.end("sold"),
    unpaid?: (required: JsonObject, response: ServerResponse) => void,
  ) {
    const payTo = await bench.chain.accountOf("bob");
    const origin = { url: "" };
    const running = await serve((request, response) => {
      if (isPaid(request)) return paid(request, response);
      const offer = offerOf({
        chain: bench.chain.chain,
        asset: ASSET,
        payTo,
        amount: PRICE,
        resource: { method: "GET", url: origin.url + (request.url ?? "") },
        maxTimeoutSeconds: 60,
      });
      const required = { x402Version: 2, accepts: accepts(offer) } as unknown as JsonObject;
      if (unpaid !== undefined) return unpaid(required, response);
      response.writeHead(402, { [HEADERS.required]: encodeHeader(required) }).end("{}");
    });
    origin.url = running.url;
    return running;
  }

  it.each([
    ["NaN", "NaN"],
    ["a negative amount", "-250000"],
    ["an exponent", "2.5e5"],
    ["a fraction", "250000.0"],
    ["hexadecimal digits", "0x3d090"],
    ["a number", 250_000],
    ["nothing", null],
    ["several", ["250000"]],
    ["digits of another script", "٢٥٠٠٠٠"],
    ["a space", "250000 "],
    ["a hundred digits", "1".repeat(100)],
    ["all that there can be", (2n ** 64n - 1n).toString()],
  ])("pays nothing where the amount is %s [L-326]", async (_what, amount) => {
    await using greedy = await seller((offer) => [{ ...offer, amount } as JsonObject]);
    const { code } = await errorOf(fetchPaid(`${greedy.url}/a`));
    expect(["offer-unfit", "too-dear"]).toContain(code);
    expect(paymentsMade()).toBe(0);
  });

  it.each([[0], [-1], ["60"], [null]])(
    "pays nothing where it is given %j s for it [L-326]",
    async (maxTimeoutSeconds) => {
      await using hasty = await seller((offer) => [{ ...offer, maxTimeoutSeconds } as JsonObject]);
      expect((await errorOf(fetchPaid(`${hasty.url}/a`))).code).toBe("offer-unfit");
      expect(paymentsMade()).toBe(0);
    },
  );

  it("takes the cheapest of many offers, once, and looks at thirty-two [L-302]", async () => {
    let shown: string | undefined;
    await using many = await seller(
      (offer) => [
        { ...offer, amount: "900000" },
        { ...offer, amount: "1", asset: "00".repeat(32) },
        { ...offer, amount: "2", network: "eip155:8453" },
        ...Array.from({ length: 28 }, () => offer),
        { ...offer, amount: "200000" },
        { ...offer, amount: "100000" },
      ],
      (request, response) => {
        shown = Buffer.from(String(request.headers[HEADERS.payment]), "base64").toString();
        response.end("sold");
      },
      // Of so many a header would be too long.
      (required, response) => void response.writeHead(402).end(JSON.stringify(required)),
    );
    const { body, offer: taken } = await fetchPaid(`${many.url}/a`);
    expect([body, taken?.amount]).toEqual(["sold", "200000"]);
    expect(JSON.parse(shown ?? "{}").accepted.amount).toBe("200000");
    expect(paymentsMade()).toBe(1);
  });

  it("reads the offers of version 2 where there are those of both, and shows it in that one", async () => {
    const shown: (readonly unknown[])[] = [];
    await using both = await seller(
      (offer) => [offer],
      ({ headers }, response) => {
        shown.push([
          headers[HEADERS.payment] !== undefined,
          headers[HEADERS_V1.payment] !== undefined,
        ]);
        response.end("sold");
      },
      (required, response) => {
        const [offer] = required["accepts"] as unknown as readonly PaymentRequirements[];
        const old = { ...offer, maxAmountRequired: "1" };
        response.writeHead(402, { [HEADERS.required]: encodeHeader(required) })
          .end(JSON.stringify({ x402Version: 1, accepts: [old] }));
      },
    );
    const fetched = await fetchPaid(`${both.url}/a`);
    expect([fetched.quoted?.x402Version, shown]).toEqual([2, [[true, false]]]);
  });

  it("shows a payment that was kept in both versions, since it no longer knows which was asked for [L-329]", async () => {
    const shown: (readonly unknown[])[] = [];
    await using old = await seller(
      (offer) => [offer],
      ({ headers, socket }, response) => {
        shown.push([
          headers[HEADERS.payment] !== undefined,
          headers[HEADERS_V1.payment] !== undefined,
        ]);
        if (shown.length <= 5) return void socket.destroy();
        response.end("sold");
      },
      (required, response) => {
        const [offer] = required["accepts"] as unknown as readonly PaymentRequirements[];
        const { amount: maxAmountRequired, ...rest } = offer as PaymentRequirements;
        response.writeHead(402)
          .end(JSON.stringify({ x402Version: 1, accepts: [{ ...rest, maxAmountRequired }] }));
      },
    );
    expect((await errorOf(fetchPaid(`${old.url}/a`))).code).toBe("payment-unanswered");
    expect((await fetchPaid(`${old.url}/a`)).body).toBe("sold");
    expect([shown.slice(0, 5), shown.slice(5)]).toEqual([
      Array.from({ length: 5 }, () => [false, true]),
      [[true, true]],
    ]);
    expect(paymentsMade()).toBe(1);
  });

  it("pays nothing where a header never ends, and once where that is the answer to a payment [L-329]", async () => {
    const endless = createServer((socket) => {
      socket.on("error", () => {});
      socket.write("HTTP/1.1 402 Payment Required\r\n");
      for (let i = 0; i < 10; i++) socket.write(`X-${i}: ${"a".repeat(1 << 20)}\r\n`);
    });
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    const place = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/`;
    expect((await errorOf(fetchPaid(place))).code).toBe("web-lost");
    expect(paymentsMade()).toBe(0);
    await using turning = await seller((offer) => [offer], ({ socket }) => {
      const through = connect(Number(new URL(place).port), "127.0.0.1");
      through.on("error", () => {});
      socket.on("error", () => {});
      through.pipe(socket);
    });
    const error = await errorOf(fetchPaid(`${turning.url}/a`));
    expect([error.code, paymentsMade()]).toEqual(["payment-unanswered", 1]);
    endless.close();
  });

  it("says that an answer was paid for which is more than it takes, and keeps the payment [L-329]", async () => {
    await using long = await seller((offer) => [offer], (_request, response) => {
      response.on("error", () => {});
      response.end(new Uint8Array(9 << 20));
    });
    for (let i = 0; i < 2; i++) {
      const error = await errorOf(fetchPaid(`${long.url}/a`));
      expect(error.message).toMatch(
        /^127\.0\.0\.1:\d+ answers to payment [0-9a-f]{8} with more than is fetched: it is kept /,
      );
    }
    expect(paymentsMade()).toBe(1);
  });

  it("pays once to a server that asks again and again, or for more each time [L-324 L-329]", async () => {
    let price = PRICE;
    await using insatiable = await seller(
      (offer) => [{ ...offer, amount: (price += 1n).toString() }],
      (_request, response) => void response.writeHead(402).end("more"),
    );
    for (let i = 0; i < 3; i++) {
      expect((await errorOf(fetchPaid(`${insatiable.url}/a`))).code).toBe("payment-not-taken");
    }
    expect(paymentsMade()).toBe(1);
  });
});
