/** Fetching what charges: what is paid, what never is, and what a server's lies lead to. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { parseJson } from "#internal/core/mod.ts";
import { openClientState } from "#internal/store/mod.ts";
import type { JsonObject, PaymentPayload, PaymentRequirements } from "#internal/x402/mod.ts";
import {
  decodeHeader,
  encodeHeader,
  HEADERS,
  HEADERS_V1,
  networkOf,
  offerOf,
  readPaymentPayload,
} from "#internal/x402/mod.ts";
import { USD as ASSET } from "#internal/ledger/mod.ts";
import { PRICE, serve, useGateway } from "../gateway/bench.ts";
import { buyerOf, errorOf } from "./_buyer.ts";

describe("Client.fetchPaid()", () => {
  const bench = useGateway();

  const { fetchPaid, paymentsMade } = buyerOf(bench);

  /** A server that charges by rules of the test's own. */
  async function server(
    handle: (visit: {
      readonly payment: PaymentPayload | undefined;
      readonly request: IncomingMessage;
      readonly response: ServerResponse;
      readonly offer: PaymentRequirements;
      readonly charge: (change?: JsonObject, required?: JsonObject) => void;
    }) => void,
  ) {
    const payTo = await bench.chain.accountOf("bob");
    const origin = { url: "" };
    const running = await serve((request, response) => {
      const offer = offerOf({
        chain: bench.chain.chain,
        asset: ASSET,
        payTo,
        amount: PRICE,
        resource: { method: "GET", url: origin.url + (request.url ?? "") },
        maxTimeoutSeconds: 60,
      });
      const header = request.headers[HEADERS.payment] as string | undefined;
      const charge = (change: JsonObject = {}, required: JsonObject = {}): void => {
        response.setHeader(
          HEADERS.required,
          encodeHeader({
            x402Version: 2,
            resource: { url: offer.extra?.["url"] },
            accepts: [{ ...offer, ...change }],
            ...required,
          }),
        );
        response.writeHead(402).end("{}");
      };
      const payment = readPaymentPayload(decodeHeader(header));
      handle({ payment, request, response, offer, charge });
    });
    origin.url = running.url;
    return running;
  }

  it("pays what is asked and returns the body with a settlement of its own proof [L-301 L-302 L-304 L-305 L-312..L-322 L-327]", async () => {
    const { url } = await bench.start();
    const fetched = await fetchPaid(`${url}/v1/resource`, { chain: bench.chain.chain });
    expect(fetched).toMatchObject({ body: '{"paid":true}', paid: true, status: 200 });
    expect(fetched.quoted?.accepts[0]).toMatchObject({ amount: "250000", scheme: "exact" });
    const transaction = [...bench.chain.receipts.keys()].at(-1);
    expect(fetched.settlement).toEqual({
      extensions: {
        sion: {
          chain: bench.chain.chain,
          pulse: Number(bench.chain.pulse),
          quorum: expect.any(Number),
          signedStake: expect.any(Number),
        },
      },
      network: networkOf(bench.chain.chain),
      payer: await bench.chain.accountOf("alice"),
      success: true,
      transaction,
    });
    // Nothing is kept of what was taken: the next one is paid for anew.
    await fetchPaid(`${url}/v1/resource`);
    expect(paymentsMade()).toBe(2);
  });

  it("pays nothing for what costs nothing, and nothing above the limit [L-323 L-324 L-325]", async () => {
    await using free = await serve((_request, response) => void response.end("free"));
    expect(await fetchPaid(free.url)).toEqual({ body: "free", paid: false, status: 200 });
    const { url } = await bench.start();
    const error = await errorOf(fetchPaid(`${url}/v1/resource`, { most: 100_000n }));
    expect(error.message)
      .toBe("the server asks 0.25 USD, more than the 0.1 USD this client may pay");
    expect(paymentsMade()).toBe(0);
  });

  it.each([
    ["another chain", { network: "eip155:8453" }, {}],
    ["a chain that begins like this one", { network: `sion:${"0".repeat(32)}` }, {}],
    ["another scheme", { scheme: "upto" }, {}],
    ["another asset", { asset: "00".repeat(32) }, {}],
    ["no amount", { amount: "0" }, {}],
    ["an amount with zeros before it", { amount: "0250000" }, {}],
    ["more than there can be", { amount: (2n ** 64n).toString() }, {}],
    ["another method", { extra: { method: "POST", url: "http://x/" } }, {}],
    ["no resource in the offer", { extra: {} }, {}],
    ["a flow that is not known", { extra: { paymentFlow: "escrow" } }, {}],
    ["a resource of another origin", {}, { resource: { url: "http://127.0.0.1:1/a" } }],
    ["an account that is none", { payTo: "bob" }, {}],
  ])("pays nothing to a server that asks for %s [L-326]", async (_what, change, required) => {
    await using lying = await server(({ charge }) => charge(change, required));
    const error = await errorOf(fetchPaid(`${lying.url}/a`));
    expect(error.code).toBe("offer-unfit");
    expect(error.message).toMatch(/nothing was paid$/);
    expect(paymentsMade()).toBe(0);
  });

  it("reads the offer of version 1 from the body, and pays it by its header", async () => {
    let shown: JsonObject | undefined;
    await using old = await server(({ request, response, offer }) => {
      const header = request.headers[HEADERS_V1.payment];
      if (typeof header === "string") {
        shown = decodeHeader(header) as JsonObject;
        response.setHeader(
          HEADERS_V1.response,
          encodeHeader({ success: true, transaction: "x", network: "y" }),
        );
        return void response.end("old");
      }
      const { amount: maxAmountRequired, ...rest } = offer;
      const accepts = [{ ...rest, maxAmountRequired, resource: offer.extra?.["url"] }];
      response.writeHead(402).end(JSON.stringify({ x402Version: 1, error: "pay", accepts }));
    });
    const fetched = await fetchPaid(`${old.url}/a`);
    expect(fetched).toMatchObject({ body: "old", paid: true, status: 200 });
    expect(shown).toMatchObject({
      x402Version: 1,
      scheme: "exact",
      payload: { transaction: fetched.settlement?.transaction },
    });
    // What the server said of the settlement is not what is returned, and the difference is told.
    expect(bench.notes.join()).toContain("not what the ledger proves");
  });

  it("goes where an unpaid answer leads, but never with a payment", async () => {
    const { url } = await bench.start();
    let visits = 0;
    await using gate = await serve((_request, response) => {
      visits++;
      response.writeHead(302, { location: `${url}/v1/resource` }).end();
    });
    expect((await fetchPaid(gate.url)).paid).toBe(true);
    expect(visits).toBe(1);
    let stolen = 0;
    await using thief = await serve((request, response) => {
      stolen += request.headers[HEADERS.payment] === undefined ? 0 : 1;
      response.end("got it");
    });
    await using leading = await server(({ payment, charge, response }) => {
      if (payment === undefined) return charge();
      response.writeHead(302, { location: thief.url }).end();
    });
    const fetched = await fetchPaid(`${leading.url}/a`);
    expect([fetched.status, fetched.paid, stolen]).toEqual([302, true, 0]);
    await using circle = await serve((_request, response) =>
      void response.writeHead(302, { location: "/" }).end()
    );
    expect((await errorOf(fetchPaid(circle.url))).code).toBe("redirects");
  });

  it("shows the same payment again to a server that breaks off, and pays once [L-329]", async () => {
    const shown: string[] = [];
    await using flaky = await server(({ payment, charge, response, request }) => {
      if (payment === undefined) return charge();
      shown.push(payment.payload.transaction);
      if (shown.length < 3) return void request.socket.destroy();
      response.end("at last");
    });
    expect((await fetchPaid(`${flaky.url}/a`)).body).toBe("at last");
    expect(new Set(shown).size).toBe(1);
    expect([shown.length, paymentsMade()]).toEqual([3, 1]);
  });

  it("keeps a payment that no server took, for another process too [L-329]", async () => {
    let isUp = false;
    const shown: string[] = [];
    await using down = await server(({ payment, charge, response, request }) => {
      if (payment === undefined) return charge();
      shown.push(payment.payload.transaction);
      if (isUp) response.end("here");
      else request.socket.destroy();
    });
    const error = await errorOf(fetchPaid(`${down.url}/a`));
    expect(error.code).toBe("payment-unanswered");
    expect(error.message).toContain("nothing is paid twice");
    isUp = true;
    // Less than it costs: nothing new is paid.
    const fetched = await bench.open().fetchPaid({
      url: `${down.url}/a`,
      wallet: "alice",
      most: 0n,
    });
    expect(fetched).toMatchObject({ body: "here", paid: true });
    expect([new Set(shown).size, paymentsMade()]).toEqual([1, 1]);
    expect(bench.notes.join()).toContain("made before and not taken: it is shown again");
  });

  it("finds a payment that a crash left between signing and sending [L-329]", async () => {
    const { url } = await bench.start();
    const dying = bench.open();
    const stop = new AbortController();
    bench.chain.before = (method) => {
      if (method === "submit") stop.abort(new Error("killed"));
    };
    bench.chain.stalled = true;
    await dying.fetchPaid({
      url: `${url}/v1/resource`,
      wallet: "alice",
      most: PRICE,
      signal: stop.signal,
    }).catch(() => {});
    bench.chain.before = () => {};
    bench.chain.stalled = false;
    bench.chain.units.clear();
    dying[Symbol.dispose]();
    expect(paymentsMade()).toBe(0);
    expect((await fetchPaid(`${url}/v1/resource`)).paid).toBe(true);
    expect(paymentsMade()).toBe(1);
  });

  it("keeps a payment that the server refuses, and pays anew only when told to", async () => {
    let price = PRICE;
    await using dear = await server(({ payment, charge, response }) => {
      const asked = price.toString();
      if (payment?.accepted.amount === asked) return void response.end("paid");
      charge({ amount: asked }, payment === undefined ? {} : { error: "the price has changed" });
      price = 300_000n;
    });
    const refused = await errorOf(fetchPaid(`${dear.url}/a`));
    expect(refused.code).toBe("payment-not-taken");
    expect(refused.message).toContain("the price has changed");
    expect((await errorOf(fetchPaid(`${dear.url}/a`))).code).toBe("payment-not-taken");
    expect(paymentsMade()).toBe(1);
    expect((await fetchPaid(`${dear.url}/a`, { again: true })).body).toBe("paid");
    expect(paymentsMade()).toBe(2);
  });

  it("believes no server that it took a payment before, and forgets that payment", async () => {
    const duplicate = {
      success: false,
      transaction: "",
      network: "",
      errorReason: "duplicate_settlement",
    };
    await using greedy = await server(({ payment, charge, response }) => {
      if (payment === undefined) return charge();
      response.setHeader(HEADERS.response, encodeHeader(duplicate));
      charge();
    });
    expect((await errorOf(fetchPaid(`${greedy.url}/a`))).code).toBe("payment-used");
    const state = openClientState(bench.home);
    const account = await bench.chain.accountOf("alice");
    const key = { chain: bench.chain.chain, account, method: "GET", url: `${greedy.url}/a` };
    expect(state.purchases(key)).toEqual([]);
    state.close();
  });

  it("pays each of several calls at once for itself", async () => {
    const { url } = await bench.start();
    const calls = Array.from({ length: 6 }, () => fetchPaid(`${url}/v1/resource`));
    const transactions = (await Promise.all(calls)).map(({ settlement }) =>
      settlement?.transaction
    );
    expect(new Set(transactions).size).toBe(6);
    expect(paymentsMade()).toBe(6);
  });

  it("pays under a charter, which the ledger holds to its payees [L-303 L-311]", async () => {
    const { url } = await bench.start();
    const made = await bench.client.createAgent({
      principal: "alice",
      wallet: "coder",
      budget: 5_000_000n,
      payees: ["bob"],
    });
    const { charter, allotment } = made as { charter: string; allotment: string };
    const asAgent = { wallet: "coder", charter, allotment };
    const fetched = await fetchPaid(`${url}/v1/resource`, asAgent);
    expect(fetched.settlement?.payer).toBe(await bench.chain.accountOf("coder"));
    const other = await bench.start({ payTo: await bench.chain.accountOf("carol") });
    const error = await errorOf(fetchPaid(`${other.url}/v1/resource`, asAgent));
    expect(error.code).toBe("payment-failed");
    expect(error.message).toContain("payee not allowed");
    expect((await errorOf(fetchPaid(url, { charter }))).code).toBe("argument");
  });

  it("insists on the chain that it is given [L-307 L-309]", async () => {
    const { url } = await bench.start();
    const error = await errorOf(fetchPaid(`${url}/v1/resource`, { chain: "00".repeat(32) }));
    expect(error.code).toBe("other-chain");
    expect(paymentsMade()).toBe(0);
  });

  it.each([
    ["http://10.0.0.1/", "private network"],
    ["http://169.254.169.254/latest/meta-data", "private network"],
    ["http://[::ffff:10.0.0.1]/", "private network"],
    ["http://0.0.0.0:1/", "private network"],
    ["ftp://example.com/", "no URL"],
    ["http://user:secret@example.com/", "no URL"],
  ])("asks nothing of %s", async (url, why) => {
    expect((await errorOf(fetchPaid(url))).message).toContain(why);
  });

  it("follows no stranger into a private network", async () => {
    await using leading = await serve((_request, response) =>
      void response.writeHead(302, { location: "http://192.168.0.1/" }).end()
    );
    expect((await errorOf(fetchPaid(leading.url))).code).toBe("address-refused");
  });

  it("returns an answer 402 that asks for no such payment as it is", async () => {
    await using other = await serve((_request, response) =>
      void response.writeHead(402).end("send a cheque")
    );
    expect(await fetchPaid(other.url)).toEqual({ body: "send a cheque", paid: false, status: 402 });
    expect(() => parseJson("send a cheque")).toThrow(SyntaxError);
  });

  it.each([
    ["", '""'],
    ["ftp://x/y", "ftp://x/y"],
    ["http://me:secret@127.0.0.1/a", "http://…@127.0.0.1/a"],
  ])("refuses %j, and repeats no password of it", async (url, shown) => {
    const { message } = await errorOf(fetchPaid(url));
    expect(message).toMatch(/ is no URL that can be paid for: /);
    expect(message.startsWith(shown)).toBe(true);
    expect(message).not.toContain("secret");
    expect(paymentsMade()).toBe(0);
  });
});
