/** What binds a payment to what it pays for, and the forms on the wire. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringifyJson } from "#internal/core/mod.ts";
import { USD } from "#internal/ledger/mod.ts";
import type { PaymentRequirements } from "#internal/x402/mod.ts";
import {
  agentPurpose,
  decodeHeader,
  encodeHeader,
  hasMemo,
  networkOf,
  normalUrl,
  offerDifference,
  offerFault,
  offerOf,
  paymentFault,
  paymentMemo,
  pricedMethod,
  readPaymentRequired,
  readRequirements,
} from "#internal/x402/mod.ts";

const ID = "6345655cfd2a714ed1dab69c0660f2f48f429ce2981e25629d0467d7b7ee97b7";
const PAYEE = "dab40d27bb62fa8dc40c1bf8194f6d04bff293ac65dd08ace075a8d6d5cec5be";
const NONCE = "5a".repeat(32);
const url = "http://127.0.0.1:8402/v1/resource";
const OFFER = offerOf({
  chain: ID,
  asset: USD,
  payTo: PAYEE,
  amount: 250_000n,
  resource: { method: "GET", url },
  maxTimeoutSeconds: 60,
});

describe("networkOf()", () => {
  it("networkOf() names the chain by the first 32 digits of its identity [L-316]", () => {
    expect(networkOf(ID)).toBe("sion:6345655cfd2a714ed1dab69c0660f2f4");
  });
});

describe("normalUrl()", () => {
  it.each([
    ["HTTP://Example.COM:80/a/../b", "http://example.com/b"],
    ["https://example.com", "https://example.com/"],
    ["http://example.com/%7euser/%2f%e4#part", "http://example.com/~user/%2F%E4"],
    ["http://example.com/%61%2e%2e/b?q=%41", "http://example.com/a../b?q=A"],
    ["http://example.com//a", "http://example.com//a"],
    ["http://example.com/a%2525", "http://example.com/a%2525"],
  ])("normalUrl() writes %s in one form", (given, normal) => {
    expect(normalUrl(given)).toBe(normal);
    expect(normalUrl(normal)).toBe(normal);
  });

  it.each([
    "",
    "/a",
    "ftp://example.com/",
    "http://u@example.com/",
    `http://a/${"x".repeat(2048)}`,
  ])(
    "normalUrl() refuses %s",
    (given) => expect(normalUrl(given)).toBeUndefined(),
  );
});

describe("paymentMemo()", () => {
  it("paymentMemo() is the same as docs/protocol/x402.md says, for ever", () => {
    expect(paymentMemo(NONCE, OFFER))
      .toBe("4adc8779d832ee404b9ce47d96fbc078b3df2fe592556990147582b28f47f1ac");
  });

  it("paymentMemo() is another for another secret, offer, method or URL", () => {
    const others: PaymentRequirements[] = [
      { ...OFFER, amount: "250001" },
      { ...OFFER, payTo: ID },
      { ...OFFER, asset: ID },
      { ...OFFER, network: "sion:00" },
      { ...OFFER, extra: { method: "POST", url } },
      { ...OFFER, extra: { method: "GET", url: `${url}?x` } },
    ];
    const memos = [OFFER, ...others].map((offer) => paymentMemo(NONCE, offer));
    memos.push(paymentMemo("5b".repeat(32), OFFER));
    expect(new Set(memos).size).toBe(8);
    expect(() => paymentMemo(NONCE, { ...OFFER, extra: { method: "HEAD", url } })).toThrow(
      TypeError,
    );
    expect(pricedMethod("head")).toBe("GET");
  });
});

describe("paymentFault()", () => {
  const memo = paymentMemo(NONCE, OFFER);
  const known = { nonce: NONCE, usd: USD };
  const plain = { asset: USD, payee: PAYEE, amount: 250_000n, memo };
  const agent = {
    payee: PAYEE,
    amount: 250_000n,
    purpose: agentPurpose(memo, { method: "GET", url }),
  };
  const faultOf = (kind: string, body: object) => paymentFault({ kind, body }, OFFER, known);

  it("paymentFault() finds none in a payment for the offer, of a wallet or of an agent", () => {
    expect(faultOf("pay_memo", plain)).toBeUndefined();
    expect(faultOf("agent_pay", agent)).toBeUndefined();
    expect(faultOf("agent_pay", { ...agent, purpose: `x402 ${memo}` })).toBeUndefined();
  });

  it.each([
    ["pay_memo", { ...plain, amount: 249_999n }, "amount"],
    ["pay_memo", { ...plain, amount: 250_001n }, "amount"],
    ["pay_memo", { ...plain, payee: ID }, "recipient"],
    ["pay_memo", { ...plain, asset: ID }, "asset"],
    ["pay_memo", { ...plain, memo: ID }, "resource"],
    ["agent_pay", { ...agent, payee: ID }, "recipient"],
    ["agent_pay", { ...agent, purpose: `x402 ${memo}0` }, "resource"],
    ["agent_pay", { ...agent, purpose: ` x402 ${memo}` }, "resource"],
    ["agent_pay", { ...agent, purpose: "" }, "resource"],
    ["pay", { asset: USD, outputs: [[PAYEE, 250_000n]] }, "resource"],
    ["toString", {}, "resource"],
  ])("paymentFault() says what is wrong with a %s: %#", (kind, body, what) => {
    expect(faultOf(kind, body)).toBe(`invalid_exact_sion_${what}_mismatch`);
  });

  it("agentPurpose() fits the ledger's purpose, whatever the URL", () => {
    const long = { method: "GET", url: `http://a/${"x".repeat(2_000)}` };
    expect(agentPurpose(memo, long).length).toBe(1024);
    expect(hasMemo(agentPurpose(memo, long), memo)).toBe(true);
  });
});

describe("offers", () => {
  it("offerFault() and offerDifference() take the offer itself, and more under extra", () => {
    const on = { chain: ID, asset: USD };
    expect(offerFault(OFFER, on)).toBeUndefined();
    expect(offerDifference(OFFER, { ...OFFER, extra: { ...OFFER.extra, more: 1 } }))
      .toBeUndefined();
    expect(offerDifference(OFFER, { ...OFFER, extra: {} }))
      .toBe("invalid_exact_sion_resource_mismatch");
    expect(offerFault({ ...OFFER, amount: "0" }, on)).toBe("invalid_payment_requirements");
  });

  it("readPaymentRequired() leaves out what is no offer, and reads version 1 [L-322]", () => {
    const { amount, ...rest } = OFFER;
    const old = { ...rest, maxAmountRequired: amount, resource: url };
    expect(readPaymentRequired({ x402Version: 1, accepts: [old, 7, {}, { ...old, amount: "x" }] }))
      .toEqual({ x402Version: 1, resource: { url }, accepts: [OFFER] });
    expect(readPaymentRequired({ x402Version: 3, accepts: [] })).toBeUndefined();
    expect(readRequirements({ ...OFFER, maxTimeoutSeconds: 0 })).toBeUndefined();
  });
});

describe("headers", () => {
  it("encodeHeader() and decodeHeader() carry any JSON as standard base64", () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const header = encodeHeader(value);
      expect(header).toMatch(/^[A-Za-z0-9+/]*={0,2}$/);
      if (header.length > 12_288) return;
      // Integers beyond 2⁵³ come back as what they are.
      expect(stringifyJson(decodeHeader(header))).toBe(stringifyJson(value));
    }));
    expect(decodeHeader("e30_")).toBeUndefined();
    expect(decodeHeader(undefined)).toBeUndefined();
  });
});
