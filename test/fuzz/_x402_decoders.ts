/** Decoders of x402: headers, what servers ask and say, what payers show, URLs. */
import { parseJson, stringifyJson, utf8, utf8Text } from "#internal/core/mod.ts";
import type { Terms } from "#internal/x402/mod.ts";
import {
  decodeHeader,
  encodeHeader,
  MAX_URL_BYTES,
  normalUrl,
  offerDifference,
  offerFault,
  offerOf,
  paymentMemo,
  readPaymentPayload,
  readPaymentRequired,
  readSettleResponse,
  takeableOffer,
} from "#internal/x402/mod.ts";
import type { Decoder } from "./_decoder.ts";
import { decoder } from "./_decoder.ts";

const ID = "ab".repeat(32);
const TERMS: Terms = {
  chain: ID,
  asset: ID,
  payTo: ID,
  amount: 250_000n,
  resource: { method: "GET", url: "http://127.0.0.1:8402/v1/resource?a=%2F" },
  maxTimeoutSeconds: 60,
};
const OFFER = offerOf(TERMS);
const REQUIRED = { x402Version: 2, resource: { url: TERMS.resource.url }, accepts: [OFFER] };
const PAYMENT = { x402Version: 2, accepted: OFFER, payload: { transaction: ID, nonce: ID } };
const SETTLED = { success: true, transaction: ID, network: OFFER.network, payer: ID };

function json(value: unknown): Uint8Array {
  return utf8(stringifyJson(value));
}

const read = (bytes: Uint8Array) => parseJson(utf8Text(bytes), { maxDepth: 64 });

export const X402_DECODERS: readonly Decoder[] = [
  decoder({
    name: "a header of x402",
    covers: ["decodeHeader"],
    samples: () => [REQUIRED, PAYMENT, SETTLED].map((value) => utf8(encodeHeader(value))),
    decode: (bytes) => decodeHeader(utf8Text(bytes)),
    text: true,
  }),
  decoder({
    name: "what an x402 server asks",
    covers: ["readPaymentRequired"],
    samples: () => [json(REQUIRED), json({ ...REQUIRED, x402Version: 1 })],
    decode: (bytes) => readPaymentRequired(read(bytes)),
    use(required) {
      if (required === undefined) return;
      const on = { chain: ID, asset: ID };
      const offer = takeableOffer(required, on, TERMS.resource);
      if (offer !== undefined && offerFault(offer, on) === undefined) paymentMemo(ID, offer);
    },
    text: true,
  }),
  decoder({
    name: "what an x402 payer shows",
    covers: ["readPaymentPayload"],
    samples: () => [json(PAYMENT)],
    decode: (bytes) => readPaymentPayload(read(bytes)),
    use: (payment) => payment === undefined || offerDifference(OFFER, payment.accepted),
    text: true,
  }),
  decoder({
    name: "what an x402 server says of a payment",
    covers: ["readSettleResponse"],
    samples: () => [json(SETTLED)],
    decode: (bytes) => readSettleResponse(read(bytes)),
    text: true,
  }),
  decoder({
    name: "a URL to pay for",
    covers: ["normalUrl"],
    samples: () => [utf8(TERMS.resource.url), utf8("https://example.com/%7e/%2e%2e/a?%41#x")],
    decode: (bytes) => normalUrl(utf8Text(bytes)),
    use(url) {
      if (url === undefined) return;
      if (normalUrl(url) !== url || url.length > MAX_URL_BYTES) throw new Error("no normal form");
    },
    text: true,
  }),
];
