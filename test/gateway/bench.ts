/** A gateway over a chain of one, and requests to it as they stand on the wire. */
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { parseJson, silentLogger, toHex } from "#internal/core/mod.ts";
import type { X402Server, X402ServerOptions } from "#internal/gateway/mod.ts";
import { startX402Server } from "#internal/gateway/mod.ts";
import { systemClock, systemRandom } from "#internal/runtime/mod.ts";
import type { PaymentRequired, PaymentRequirements } from "#internal/x402/mod.ts";
import {
  decodeHeader,
  encodeHeader,
  HEADERS,
  paymentMemo,
  readPaymentRequired,
  readSettleResponse,
} from "#internal/x402/mod.ts";
import type { Bench } from "../client/bench.ts";
import { useBench } from "../client/bench.ts";

export const PRICE = 250_000n;

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request, nothing added or followed. */
export function ask(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      method: options.method ?? "GET",
      headers: options.headers ?? {},
      agent: false,
    }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (part: string) => (body += part));
      answer.once("error", reject);
      answer.once(
        "end",
        () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      );
    });
    sending.once("error", reject);
    sending.end(options.body);
  });
}

/** What an answer 402 asks for. */
export function requiredOf({ headers }: Answer): PaymentRequired {
  const required = readPaymentRequired(decodeHeader(String(headers[HEADERS.required])));
  if (required === undefined) throw new Error("There is no offer");
  return required;
}

/** What an answer says became of the payment. */
export function settlementOf({ headers }: Answer) {
  return readSettleResponse(decodeHeader(headers[HEADERS.response] as string | undefined));
}

/** A server of the test's own. */
export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What each test gets anew. */
export interface GatewayBench extends Bench {
  dir: string;
  /** Starts a gateway that pays bob; it ends with the test, or sooner. */
  start(options?: Partial<X402ServerOptions>): Promise<X402Server>;
  /** Pays for an offer, from alice. The header that shows it. */
  pay(offer: PaymentRequirements): Promise<{ header: string; digest: string; nonce: string }>;
}

/** Makes the bench before each test and clears it away after. */
export function useGateway(): GatewayBench {
  const bench = useBench() as GatewayBench;
  const running: X402Server[] = [];
  beforeEach(() => {
    bench.dir = mkdtempSync(join(tmpdir(), "sion-x402-"));
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server[Symbol.asyncDispose]();
    rmSync(bench.dir, { recursive: true, force: true });
  });
  bench.start = async (options = {}) => {
    const server = await startX402Server({
      client: bench.client,
      payTo: await bench.chain.accountOf("bob"),
      price: PRICE,
      listen: { host: "127.0.0.1", port: 0 },
      dir: bench.dir,
      clock: systemClock,
      logger: silentLogger,
      ...options,
    });
    running.push(server);
    return server;
  };
  bench.pay = async (offer) => {
    const nonce = toHex(systemRandom(32));
    const { asset, payTo: payee, amount } = offer;
    const memo = paymentMemo(nonce, offer);
    const body = { asset, payee, amount: BigInt(amount), memo };
    const [outcome] = await bench.client.transact({
      wallet: "alice",
      actions: [{ kind: "pay_memo", body }],
    });
    if (outcome?.status !== "Success") throw new Error(outcome?.receipt);
    const payload = { transaction: outcome.digest, nonce };
    const header = encodeHeader({ x402Version: 2, accepted: offer, payload });
    return { header, digest: outcome.digest, nonce };
  };
  return bench;
}

/** The offer of a resource, and a payment for it. */
export async function buy(
  bench: GatewayBench,
  url: string,
  method = "GET",
): Promise<{ offer: PaymentRequirements; header: string; digest: string; nonce: string }> {
  const required = requiredOf(await ask(url, { method }));
  const offer = required.accepts[0] as PaymentRequirements;
  return { offer, ...await bench.pay(offer) };
}

/** A body as JSON. */
export function jsonOf({ body }: Answer): unknown {
  return parseJson(body);
}
