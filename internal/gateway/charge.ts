/**
 * Charging for requests: an offer where there is no payment, the payment settled before anything is
 * passed on, and one request answered for each payment. Who shows a payment again gets the same
 * answer, or the first one if none was begun.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock, Logger } from "#internal/core/mod.ts";
import { messageOf, OUTSIDE_DEPTH, parseJson, stringifyJson } from "#internal/core/mod.ts";
import type { FoundClaim, SettlementBook } from "#internal/store/mod.ts";
import type {
  PaymentPayload,
  PaymentRequired,
  PaymentRequirements,
  Reason,
  SettleResponse,
} from "#internal/x402/mod.ts";
import {
  decodeHeader,
  encodeHeader,
  HEADERS,
  networkOf,
  normalUrl,
  offerDifference,
  offerOf,
  paymentMemo,
  pricedMethod,
  readPaymentPayload,
  readSettleResponse,
  X402_VERSION,
} from "#internal/x402/mod.ts";
import type { Headers } from "./answers.ts";
import { sendError, sendRequired } from "./answers.ts";
import type { Facilitator } from "./facilitator.ts";
import { unsettled } from "./facilitator.ts";
import { isFramed } from "./passed_headers.ts";
import type { Passing, Upstream } from "./upstream.ts";
import { answerWhole, MAX_BODY_BYTES, UpstreamError } from "./upstream.ts";

/** Time that a client has for its payment, s. */
const MAX_TIMEOUT_SECONDS = 60;
/** Paid requests at once; one more is told to come again. */
const MAX_AT_ONCE = 256;

/** What is charged for, and how much. */
export interface ChargeOptions {
  /** Identity of the chain, and id of its USD. */
  readonly chain: string;
  readonly usd: string;
  /** Account that is paid. */
  readonly payTo: string;
  /** Micro-USD a request. */
  readonly price: bigint;
  /** As clients call the server, without a path: `http://127.0.0.1:8402`. */
  readonly origin: () => string;
  readonly upstream: Upstream;
  readonly facilitator: Facilitator;
  readonly book: SettlementBook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Paid requests at once. @default 256 */
  readonly maxAtOnce?: number;
}

/** Answers a request. Nothing throws. */
export type Charge = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** One request on its way. */
interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  /** The whole URL, in normal form. */
  readonly url: string;
  readonly offer: PaymentRequirements;
}

/** A gate that is open. */
interface Gate extends ChargeOptions {
  /** Digests of payments whose requests are being answered. */
  readonly underWay: Set<string>;
  readonly most: number;
  /** Requests without a price that are being answered. */
  unpriced: number;
}

/** What charges for every request. */
export function createCharge(options: ChargeOptions): Charge {
  const most = options.maxAtOnce ?? MAX_AT_ONCE;
  const gate: Gate = { ...options, underWay: new Set(), most, unpriced: 0 };
  return async (request, response) => {
    try {
      await answer(gate, request, response);
    } catch (error) {
      options.logger.log("error", "A request failed inside", { reason: messageOf(error) });
      sendError(response, 500, "the gateway failed inside: show the payment again");
    }
  };
}

async function answer(
  gate: Gate,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const place = placeOf(gate.origin(), request.url ?? "");
  if (place === undefined) return sendError(response, 400, "this path cannot be read");
  const { target, url } = place;
  const declared = Number(request.headers["content-length"] ?? 0);
  if (!(declared <= MAX_BODY_BYTES)) {
    return sendError(response, 413, `a request has at most ${MAX_BODY_BYTES} bytes`);
  }
  if (!isFramed(request)) return sendError(response, 501, "of encodings only chunked is taken");
  const hasPrice = gate.upstream.hasResource?.(target) ?? true;
  if (request.method === "OPTIONS" || !hasPrice) {
    return await passUnpriced(gate, { request, response, target, added: {} });
  }
  const resource = { method: pricedMethod(request.method ?? "GET"), url };
  const { chain, usd: asset, payTo, price: amount } = gate;
  const terms = { chain, asset, payTo, amount, maxTimeoutSeconds: MAX_TIMEOUT_SECONDS, resource };
  const visit: Visit = { request, response, target, url, offer: offerOf(terms) };
  const header = request.headers[HEADERS.payment];
  if (header === undefined) return sendRequired(response, requiredOf(visit));
  const payload = readPaymentPayload(decodeHeader(String(header)));
  if (payload === undefined) {
    return sendError(response, 400, `the header ${HEADERS.payment} holds no such payment`);
  }
  const difference = payload.x402Version === X402_VERSION
    ? offerDifference(visit.offer, payload.accepted)
    : "invalid_x402_version";
  if (difference !== undefined) return refuse(gate, visit, payload, difference);
  const digest = payload.payload.transaction;
  if (gate.underWay.has(digest)) {
    return sendError(response, 409, "the first request with this payment is being answered", {
      "retry-after": "1",
    });
  }
  if (gate.underWay.size >= gate.most) return later(response);
  gate.underWay.add(digest);
  try {
    await answerPaid(gate, visit, payload);
  } finally {
    gate.underWay.delete(digest);
  }
}

async function passUnpriced(gate: Gate, passing: Passing): Promise<void> {
  if (gate.unpriced >= gate.most) return later(passing.response);
  gate.unpriced++;
  try {
    await gate.upstream(passing);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    sendError(passing.response, error.status, error.message);
  } finally {
    gate.unpriced--;
  }
}

async function answerPaid(gate: Gate, visit: Visit, payload: PaymentPayload): Promise<void> {
  const { transaction, nonce } = payload.payload;
  const claim = gate.book.find(transaction);
  if (claim !== undefined) {
    const again = againOf(claim, paymentMemo(nonce, visit.offer));
    if (again === "answer" && claim.answer !== undefined) return await answerKept(visit, claim);
    if (again !== "first") return refuse(gate, visit, payload, "duplicate_settlement");
  }
  const settlement = claim === undefined
    ? await gate.facilitator.settle(payload, visit.offer, "gateway")
    : readSettleResponse(parseJson(claim.settlement));
  if (settlement?.success !== true) {
    const reason = settlement?.errorReason ?? "unexpected_settle_error";
    return refuse(gate, visit, payload, reason as Reason, settlement);
  }
  const { payer } = settlement;
  gate.logger.log("info", "A request was paid for", { url: visit.url, transaction, payer });
  const isSafe = changesNothing(visit);
  // From here on nobody knows what a request that changes something has done.
  if (!isSafe && !gate.book.serve(transaction)) {
    return refuse(gate, visit, payload, "duplicate_settlement");
  }
  try {
    await gate.upstream(passingOf(gate, visit, settlement));
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (!isSafe && error.isUnsent) gate.book.release(transaction);
    const next = isSafe || error.isUnsent
      ? "show the payment again"
      : "it may have been carried out, so the payment is used up";
    sendError(visit.response, error.status, `${error.message}: ${next}`, {
      [HEADERS.response]: encodeHeader(settlement),
    });
  }
}

/**
 * A paid request on its way to what is behind: its answer is noted as it begins, and kept. What failed
 * there is no answer, where asking once more changes nothing.
 */
function passingOf({ book, clock }: Gate, visit: Visit, settlement: SettleResponse): Passing {
  const { transaction } = settlement;
  const isSafe = changesNothing(visit);
  const isAnswer = (status: number): boolean => status < 500 || !isSafe;
  return {
    ...visit,
    added: addedBy(settlement),
    onHead(status) {
      // Another process that shares the book may have been sooner.
      if (isSafe && isAnswer(status) && !book.serve(transaction)) throw new UpstreamError(409);
    },
    onWhole({ status, headers, body }) {
      // An answer to HEAD has no body, and is none to GET.
      if (visit.request.method === "HEAD" || !isAnswer(status)) return;
      const kept = { status, headers: stringifyJson(headers), body };
      book.keepAnswer(transaction, kept, clock.nowMs());
    },
  };
}

/** Whether asking twice is the same as asking once (RFC 9110, 9.2.1). */
function changesNothing({ request: { method } }: Visit): boolean {
  return method === "GET" || method === "HEAD";
}

async function answerKept(visit: Visit, claim: FoundClaim): Promise<void> {
  const { status, headers, body } = claim.answer as NonNullable<typeof claim.answer>;
  const settlement = readSettleResponse(parseJson(claim.settlement));
  const kept = parseJson(headers, { maxDepth: OUTSIDE_DEPTH }) as Headers;
  await answerWhole(
    { ...visit, added: settlement === undefined ? {} : addedBy(settlement) },
    { status, headers: kept, body },
  );
}

function refuse(
  { chain }: Gate,
  visit: Visit,
  { payload }: PaymentPayload,
  reason: Reason,
  settlement = unsettled(networkOf(chain), payload.transaction, reason),
): void {
  sendRequired(visit.response, requiredOf(visit, reason), settlement);
}

/** What to do for whoever shows a payment that was taken: only its maker can name its memo. */
function againOf(claim: FoundClaim, memo: string): "answer" | "first" | "no" {
  if (claim.by !== "gateway" || claim.memo !== memo) return "no";
  if (claim.answer !== undefined) return "answer";
  return claim.served ? "no" : "first";
}

/** Where a request goes: path and query, and the whole URL, both in normal form. */
function placeOf(
  origin: string,
  target: string,
): { readonly target: string; readonly url: string } | undefined {
  if (!target.startsWith("/")) return undefined;
  const url = normalUrl(origin + target);
  return url === undefined ? undefined : { target: url.slice(new URL(url).origin.length), url };
}

function requiredOf({ offer, url }: Visit, error?: Reason): PaymentRequired {
  return {
    x402Version: X402_VERSION,
    error: error ?? "payment is required",
    resource: { url },
    accepts: [offer],
  };
}

/** What a paid answer carries besides. */
function addedBy(settlement: SettleResponse): Headers {
  return { "cache-control": "private, no-store", [HEADERS.response]: encodeHeader(settlement) };
}

function later(response: ServerResponse): void {
  sendError(response, 503, "too many requests are being answered: come again in a moment", {
    "retry-after": "1",
  });
}
