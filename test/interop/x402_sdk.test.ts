/**
 * The official packages of x402, with `sion/x402` plugged in: @x402/fetch buys from sion's gateway,
 * @x402/express charges with sion's facilitator, and each from the other.
 */
import { x402Facilitator } from "@x402/core/facilitator";
import type { FacilitatorClient } from "@x402/core/server";
import { HTTPFacilitatorClient } from "@x402/core/server";
import type { SupportedResponse } from "@x402/core/types";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import express from "express";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { sionClient, sionFacilitator, sionServer } from "../../exports/x402.ts";
import type { SionClient, SionFacilitatorOptions } from "../../exports/x402.ts";
import { decodeHeader, networkOf } from "#internal/x402/mod.ts";
import { buy, useGateway } from "../gateway/bench.ts";
import { nodeOf } from "../gateway/node.ts";

describe("the official x402 packages", () => {
  const bench = useGateway();
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** The chain of one, as clients over HTTP reach it. */
  async function node(): Promise<string> {
    const running = await nodeOf(bench.chain);
    closing.push(() => running[Symbol.asyncDispose]());
    return running.url;
  }

  async function payingFetch(most?: string): Promise<typeof fetch> {
    const scheme: SionClient = sionClient({
      wallet: "alice",
      home: bench.home,
      node: await node(),
      ...(most === undefined ? {} : { most }),
    });
    closing.push(() => scheme[Symbol.dispose]());
    return wrapFetchWithPayment(fetch, new x402Client().register("sion:*", scheme));
  }

  /** The official facilitator with sion's scheme, asked in the process that charges. */
  async function local(options: SionFacilitatorOptions): Promise<FacilitatorClient> {
    const scheme = sionFacilitator({ home: bench.home, node: await node(), ...options });
    closing.push(() => scheme[Symbol.asyncDispose]());
    const facilitator = new x402Facilitator().register(networkOf(bench.chain.chain), scheme);
    return {
      verify: (...payment) => facilitator.verify(...payment),
      settle: (...payment) => facilitator.settle(...payment),
      getSupported: () => Promise.resolve(facilitator.getSupported() as SupportedResponse),
    };
  }

  /** An express server whose /weather costs a tenth of a dollar. */
  async function shop(facilitator: string | FacilitatorClient): Promise<string> {
    const network = networkOf(bench.chain.chain);
    const asked = typeof facilitator === "string"
      ? new HTTPFacilitatorClient({ url: facilitator })
      : facilitator;
    const resources = new x402ResourceServer(asked)
      .register(network, sionServer());
    await resources.initialize();
    const app = express();
    const payTo = await bench.chain.accountOf("bob");
    const accepts = { scheme: "exact", network, payTo, price: "$0.10" } as const;
    app.use(
      paymentMiddleware({ "GET /weather": { accepts }, "GET /wind": { accepts } }, resources),
    );
    app.get("/weather", (_request, response) => response.json({ sun: true }));
    app.get("/wind", (_request, response) => response.json({ wind: 3 }));
    const server: Server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    closing.push(() => server.closeAllConnections());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("@x402/fetch buys from sion's gateway", async () => {
    const { url } = await bench.start();
    const buying = await payingFetch();
    const answer = await buying(`${url}/v1/resource`);
    expect([answer.status, await answer.text()]).toEqual([200, '{"paid":true}']);
    const settlement = decodePaymentResponseHeader(answer.headers.get("payment-response") ?? "");
    expect(settlement).toMatchObject({
      success: true,
      network: networkOf(bench.chain.chain),
      payer: await bench.chain.accountOf("alice"),
      extensions: { sion: { chain: bench.chain.chain } },
    });
    // Taken: the next one is paid for anew.
    await buying(`${url}/v1/resource`);
    expect(bench.chain.receipts.size).toBe(2);
  });

  it("@x402/express charges what sion fetches, through sion's facilitator [L-328]", async () => {
    const { facilitator = "" } = await bench.start();
    const url = `${await shop(facilitator)}/weather`;
    const fetched = await bench.client.fetchPaid({ url, wallet: "alice", most: 100_000n });
    expect(fetched).toMatchObject({ body: '{"sun":true}', paid: true, status: 200 });
    const dear = bench.client.fetchPaid({ url, wallet: "alice", most: 99_999n });
    await expect(dear).rejects.toMatchObject({
      message: "the server asks 0.1 USD, more than the 0.099999 USD this client may pay",
    });
    expect(bench.chain.receipts.size).toBe(1);
  });

  it("@x402/fetch buys from @x402/express, once for each payment", async () => {
    const { facilitator = "" } = await bench.start();
    const shopUrl = await shop(facilitator);
    const buying = await payingFetch();
    const shown: string[] = [];
    const watching: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const payment = request.headers.get("payment-signature");
      if (payment !== null) shown.push(payment);
      return await fetch(request);
    };
    const scheme = sionClient({ wallet: "alice", home: bench.home, node: await node() });
    closing.push(() => scheme[Symbol.dispose]());
    const watched = wrapFetchWithPayment(watching, new x402Client().register("sion:*", scheme));
    const answer = await watched(`${shopUrl}/weather`);
    expect(await answer.json()).toEqual({ sun: true });
    const again = { headers: { "payment-signature": shown[0] ?? "" } };
    // The same payment a second time, and for another resource of the same price.
    expect((await fetch(`${shopUrl}/weather`, again)).status).toBe(402);
    expect((await fetch(`${shopUrl}/wind`, again)).status).toBe(402);
    expect(await (await buying(`${shopUrl}/wind`)).json()).toEqual({ wind: 3 });
  });

  it("@x402/express settles by the scheme in its own process, each payment once, after a restart too", async () => {
    const shops = await Promise.all(
      [0, 1].map(async () => await shop(await local({ dir: bench.dir }))),
    );
    const [first = "", second = ""] = shops;
    const shown: string[] = [];
    const watching: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      shown.push(request.headers.get("payment-signature") ?? "");
      return await fetch(request);
    };
    const scheme = sionClient({ wallet: "alice", home: bench.home, node: await node() });
    closing.push(() => scheme[Symbol.dispose]());
    const buying = wrapFetchWithPayment(watching, new x402Client().register("sion:*", scheme));
    const answer = await buying(`${first}/weather`);
    expect(await answer.json()).toEqual({ sun: true });
    expect(decodePaymentResponseHeader(answer.headers.get("payment-response") ?? ""))
      .toMatchObject({ success: true, extensions: { sion: { chain: bench.chain.chain } } });
    const again = { headers: { "payment-signature": shown.at(-1) ?? "" } };
    expect((await fetch(`${first}/weather`, again)).status).toBe(402);
    expect((await fetch(`${second}/weather`, again)).status).toBe(402);
  });

  it("sionFacilitator() refuses while there is no node, says why, and goes on when there is one", async () => {
    const { url } = await bench.start();
    const { offer, header } = await buy(bench, `${url}/v1/resource`);
    const payload = decodeHeader(header) as unknown as { x402Version: number };
    const warnings: string[] = [];
    const running = await nodeOf(bench.chain);
    await running[Symbol.asyncDispose]();
    await using facilitator = sionFacilitator({
      home: bench.home,
      node: running.url,
      dir: join(bench.dir, "own"),
      onWarning: (warning) => warnings.push(warning),
    });
    expect(await facilitator.verify(payload, offer)).toMatchObject({ isValid: false });
    expect(await facilitator.settle(payload, offer)).toEqual({
      success: false,
      transaction: "",
      network: offer.network,
      errorReason: "unexpected_settle_error",
    });
    expect(warnings).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("no node")));
    await using _back = await nodeOf(bench.chain, Number(new URL(running.url).port));
    expect(await facilitator.verify(payload, offer)).toMatchObject({ isValid: true });
    expect(await facilitator.settle(payload, offer)).toMatchObject({ success: true });
    expect(await facilitator.settle(payload, offer)).toMatchObject({
      success: false,
      errorReason: "duplicate_settlement",
    });
  });

  it("@x402/fetch pays no more than it may", async () => {
    const { url } = await bench.start({ price: 2_000_000n });
    await expect((await payingFetch("10"))(`${url}/v1/resource`)).rejects.toThrow();
    const cheap = await bench.start({ price: 900_000n });
    await expect((await payingFetch("0.5"))(`${cheap.url}/v1/resource`))
      .rejects.toThrow(/more than the 0\.5 USD/);
    expect(bench.chain.receipts.size).toBe(0);
  });
});
