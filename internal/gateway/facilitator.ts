/**
 * The facilitator: says whether a payment is what an offer asks for, and takes it, once. It holds no
 * money and signs nothing; the payer has paid on the ledger before.
 */
import type { ProvenTransaction } from "#internal/client/mod.ts";
import type { Clock, JsonValue, Logger } from "#internal/core/mod.ts";
import { isHex64, messageOf, stringifyJson } from "#internal/core/mod.ts";
import type { SettlementBook } from "#internal/store/mod.ts";
import type {
  JsonObject,
  PaymentPayload,
  PaymentRequirements,
  Reason,
  SettlementProof,
  SettleResponse,
  VerifyResponse,
} from "#internal/x402/mod.ts";
import {
  networkOf,
  objectOf,
  offerDifference,
  offerFault,
  paymentFault,
  paymentMemo,
  readPaymentPayload,
  readRequirements,
  REASON_TEXTS,
  SCHEME,
  X402_VERSION,
} from "#internal/x402/mod.ts";

/** How long a payment that is under way is waited for, ms, if its offer names no shorter time. */
const WAIT_MS = 20_000;
/**
 * Payments that are waited for at once. Anybody can name one that never comes; one more is told to come
 * again, and what the ledger has executed needs no waiting.
 */
const MAX_WAITING = 64;

/** What a facilitator looks payments up with. */
export interface FacilitatorOptions {
  /** Identity of the chain that payments are on. */
  readonly chain: string;
  /** Id of the asset USD. */
  readonly usd: string;
  /** Looks a transaction up, waiting for it; proven against the chain. */
  readonly lookUp: (
    digest: string,
    waitMs: number,
  ) => Promise<ProvenTransaction | "pending" | "unknown">;
  readonly book: SettlementBook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Payments that are waited for at once. @default 64 */
  readonly maxWaiting?: number;
}

/** Looks a transaction up, waiting for it while few others are waited for. */
type LookUp = (
  digest: string,
  waitMs: number,
) => Promise<ProvenTransaction | "pending" | "unknown" | "full">;

/** What payments are looked at with. */
type Looking = Omit<FacilitatorOptions, "lookUp"> & { readonly lookUp: LookUp };

/** Verifies and settles. Nothing throws: what cannot be told is a refusal. */
export interface Facilitator {
  /** Whether a payment would be taken now. Changes nothing. */
  verify(payload: PaymentPayload, offer: PaymentRequirements): Promise<VerifyResponse>;
  /** Takes a payment: success to one caller. @param by who takes it. @default "facilitator" */
  settle(
    payload: PaymentPayload,
    offer: PaymentRequirements,
    by?: "gateway" | "facilitator",
  ): Promise<SettleResponse>;
  /** What `GET /supported` answers. */
  supported(): JsonObject;
  /** `verify` and `settle` of a request's body. */
  verifyBody(body: JsonValue): Promise<VerifyResponse>;
  settleBody(body: JsonValue): Promise<SettleResponse>;
}

/** A payment that was looked at. */
type Looked =
  | { readonly reason: Reason; readonly payer?: string }
  | {
    readonly reason?: undefined;
    readonly payer: string;
    readonly memo: string;
    readonly proof: SettlementProof;
  };

/** Looks payments up, and waits for so many that are not there yet. */
function boundedLookUp(lookUp: FacilitatorOptions["lookUp"], most: number): LookUp {
  let waiting = 0;
  return async (digest, waitMs) => {
    const found = await lookUp(digest, 0);
    if (typeof found === "object") return found;
    if (waiting >= most) return "full";
    waiting++;
    try {
      return await lookUp(digest, waitMs);
    } finally {
      waiting--;
    }
  };
}

/** A facilitator of one chain. */
export function createFacilitator(given: FacilitatorOptions): Facilitator {
  const lookUp = boundedLookUp(given.lookUp, given.maxWaiting ?? MAX_WAITING);
  const options = { ...given, lookUp };
  const { chain, usd: asset } = options;
  const network = networkOf(chain);
  return {
    verify: (payload, offer) => verify(options, payload, offer),
    settle: (payload, offer, by = "facilitator") => settle(options, { payload, offer, by }),
    supported: () => ({
      kinds: [{ x402Version: X402_VERSION, scheme: SCHEME, network, extra: { asset } }],
      extensions: [],
      signers: { "sion:*": [] },
    }),
    async verifyBody(body) {
      const read = readRequest(body);
      if ("reason" in read) return invalid(read.reason);
      return await verify(options, read.payload, read.offer);
    },
    async settleBody(body) {
      const read = readRequest(body);
      if ("reason" in read) return unsettled(network, "", read.reason);
      return await settle(options, { ...read, by: "facilitator" });
    },
  };
}

/** The checks in order, but whether it was taken before. */
async function look(
  { chain, usd, lookUp }: Looking,
  { x402Version, accepted, payload }: PaymentPayload,
  offer: PaymentRequirements,
): Promise<Looked> {
  if (x402Version !== X402_VERSION) return { reason: "invalid_x402_version" };
  const fault = offerFault(offer, { chain, asset: usd }) ?? offerDifference(offer, accepted);
  if (fault !== undefined) return { reason: fault };
  const { transaction, nonce } = payload;
  const found = await lookUp(transaction, Math.min(WAIT_MS, offer.maxTimeoutSeconds * 1000));
  if (found === "pending" || found === "full") return { reason: "settlement_pending" };
  if (found === "unknown" || !found.succeeded || found.proof.chain !== chain) {
    return { reason: "invalid_transaction_state" };
  }
  const payer = found.account;
  const reason = paymentFault(found, offer, { nonce, usd });
  if (reason !== undefined) return { reason, payer };
  return { payer, memo: paymentMemo(nonce, offer), proof: found.proof };
}

async function verify(
  options: Looking,
  payload: PaymentPayload,
  offer: PaymentRequirements,
): Promise<VerifyResponse> {
  try {
    const looked = await look(options, payload, offer);
    const isTaken = options.book.find(payload.payload.transaction) !== undefined;
    const reason = looked.reason ?? (isTaken ? "duplicate_settlement" : undefined);
    return { ...(reason === undefined ? { isValid: true } : invalid(reason)), ...payerOf(looked) };
  } catch (error) {
    options.logger.log("warn", "A payment could not be verified", { reason: messageOf(error) });
    return invalid("unexpected_verify_error");
  }
}

async function settle(
  options: Looking,
  { payload, offer, by }: {
    readonly payload: PaymentPayload;
    readonly offer: PaymentRequirements;
    readonly by: "gateway" | "facilitator";
  },
): Promise<SettleResponse> {
  const network = networkOf(options.chain);
  const { transaction } = payload.payload;
  try {
    const looked = await look(options, payload, offer);
    if (looked.reason !== undefined) {
      return { ...unsettled(network, transaction, looked.reason), ...payerOf(looked) };
    }
    const { payer, memo, proof } = looked;
    const extensions = { sion: proof };
    const settlement = { success: true, transaction, network, payer, extensions };
    const isOurs = options.book.claim({
      digest: transaction,
      memo,
      settlement: stringifyJson(settlement),
      by,
      claimedMs: options.clock.nowMs(),
    });
    if (isOurs) return settlement;
    return { ...unsettled(network, transaction, "duplicate_settlement"), payer };
  } catch (error) {
    options.logger.log("warn", "A payment could not be settled", { reason: messageOf(error) });
    return unsettled(network, transaction, "unexpected_settle_error");
  }
}

/** What is said of a payment that is not taken. */
export function unsettled(network: string, transaction: string, reason: Reason): SettleResponse {
  return {
    success: false,
    transaction,
    network,
    errorReason: reason,
    errorMessage: REASON_TEXTS[reason],
  };
}

function invalid(reason: Reason): VerifyResponse {
  return { isValid: false, invalidReason: reason, invalidMessage: REASON_TEXTS[reason] };
}

function payerOf({ payer }: Looked): { readonly payer?: string } {
  return payer === undefined || !isHex64(payer) ? {} : { payer };
}

function readRequest(
  body: JsonValue,
):
  | { readonly reason: Reason }
  | { readonly payload: PaymentPayload; readonly offer: PaymentRequirements } {
  const given = objectOf(body);
  const offer = readRequirements(given?.["paymentRequirements"]);
  if (offer === undefined) return { reason: "invalid_payment_requirements" };
  const payload = readPaymentPayload(given?.["paymentPayload"]);
  return payload === undefined ? { reason: "invalid_payload" } : { payload, offer };
}
