/**
 * The shapes of x402 version 2, and of what is left of version 1, read strictly where this chain
 * gives them a meaning and passed over where it does not.
 *
 * Source: x402 specification version 2, as @x402/core 2.27 reads and writes it.
 */
import type { JsonValue } from "#internal/core/mod.ts";

/** The version that is spoken. */
export const X402_VERSION = 2;
/** The scheme: the exact amount, paid once. */
export const SCHEME = "exact";
/** Of a network's name: `sion:<first 32 digits of the chain identity>`. */
export const NETWORK_FAMILY = "sion";
/** Longest URL that can be paid for, bytes of its normal form. */
export const MAX_URL_BYTES = 2048;
/** Offers of one answer that are looked at. */
export const MAX_OFFERS = 32;
/** The longest time that a client waits for, s: what a server names beyond it is cut. */
export const MAX_TIMEOUT_SECONDS = 600;

/** What a server asks for. Amounts are decimal strings of micro-units. */
export type PaymentRequirements = {
  readonly scheme: string;
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra?: JsonObject;
};

/** What is paid for. */
export type ResourceInfo = {
  readonly url: string;
  readonly description?: string;
  readonly mimeType?: string;
};

/** The answer 402. */
export type PaymentRequired = {
  readonly x402Version: number;
  readonly error?: string;
  readonly resource?: ResourceInfo;
  readonly accepts: readonly PaymentRequirements[];
  readonly extensions?: JsonObject;
};

/** What the payer shows: a transaction that the ledger has, and the secret that its memo is of. */
export type SionPayload = {
  /** Digest, 64 hex digits. */
  readonly transaction: string;
  /** 64 hex digits. */
  readonly nonce: string;
};

/** What a client sends with its request. */
export type PaymentPayload = {
  readonly x402Version: number;
  readonly resource?: ResourceInfo;
  readonly accepted: PaymentRequirements;
  readonly payload: SionPayload;
  readonly extensions?: JsonObject;
};

/** What became of a payment. */
export type SettleResponse = {
  readonly success: boolean;
  /** Digest; empty when there is none. */
  readonly transaction: string;
  readonly network: string;
  readonly payer?: string;
  readonly errorReason?: string;
  readonly errorMessage?: string;
  readonly extensions?: JsonObject;
};

/** Whether a payment would be taken. */
export type VerifyResponse = {
  readonly isValid: boolean;
  readonly payer?: string;
  readonly invalidReason?: string;
  readonly invalidMessage?: string;
};

/** A JSON object. */
export type JsonObject = { readonly [name: string]: JsonValue | undefined };

/** What proves a settlement on this chain: `extensions.sion` of it. Stakes in whole USD. */
export type SettlementProof = {
  readonly chain: string;
  readonly pulse: number;
  readonly quorum: number | bigint;
  readonly signedStake: number | bigint;
};

/** A JSON object, or undefined. */
export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? value as JsonObject
    : undefined;
}

/** A text of at most `most` characters, or undefined. */
function textOf(value: JsonValue | undefined, most: number): string | undefined {
  return typeof value === "string" && value.length <= most ? value : undefined;
}

/** Reads one offer; undefined when it is none. Offers of other chains are offers too. */
export function readRequirements(value: JsonValue | undefined): PaymentRequirements | undefined {
  const given = objectOf(value);
  if (given === undefined) return undefined;
  const scheme = textOf(given["scheme"], 64);
  const network = textOf(given["network"], 128);
  // Version 1 names the amount otherwise.
  const amount = textOf(given["amount"] ?? given["maxAmountRequired"], 80);
  const asset = textOf(given["asset"], 256);
  const payTo = textOf(given["payTo"], 256);
  const timeout = given["maxTimeoutSeconds"];
  const extra = objectOf(given["extra"]);
  if (
    scheme === undefined || network === undefined || amount === undefined ||
    asset === undefined || payTo === undefined || typeof timeout !== "number" || !(timeout > 0) ||
    !/^\d+$/.test(amount)
  ) return undefined;
  return {
    scheme,
    network,
    amount,
    asset,
    payTo,
    maxTimeoutSeconds: timeout,
    ...(extra === undefined ? {} : { extra }),
  };
}

function readResource(value: JsonValue | undefined): ResourceInfo | undefined {
  const given = objectOf(value);
  const url = textOf(given?.["url"], MAX_URL_BYTES);
  if (given === undefined || url === undefined) return undefined;
  const description = textOf(given["description"], 4096);
  const mimeType = textOf(given["mimeType"], 256);
  return {
    url,
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}

/**
 * Reads the answer 402, of version 1 too; undefined when it asks for no payment. Offers that are none
 * are left out, and more than are looked at.
 */
export function readPaymentRequired(value: JsonValue | undefined): PaymentRequired | undefined {
  const given = objectOf(value);
  const version = given?.["x402Version"];
  const accepts = given?.["accepts"];
  if (given === undefined || (version !== 1 && version !== 2) || !Array.isArray(accepts)) {
    return undefined;
  }
  const offers = (accepts as readonly JsonValue[]).slice(0, MAX_OFFERS)
    .flatMap((one) => readRequirements(one) ?? []);
  const error = textOf(given["error"], 4096);
  const resource = readResource(
    version === 2 ? given["resource"] : { url: objectOf(accepts[0])?.["resource"] },
  );
  const extensions = objectOf(given["extensions"]);
  return {
    x402Version: version,
    accepts: offers,
    ...(error === undefined ? {} : { error }),
    ...(resource === undefined ? {} : { resource }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** Reads what a client shows; undefined when it is no payment of this scheme. */
export function readPaymentPayload(value: JsonValue | undefined): PaymentPayload | undefined {
  const given = objectOf(value);
  const version = given?.["x402Version"];
  const accepted = readRequirements(given?.["accepted"]);
  const payload = objectOf(given?.["payload"]);
  const transaction = payload?.["transaction"];
  const nonce = payload?.["nonce"];
  if (
    given === undefined || typeof version !== "number" || accepted === undefined ||
    typeof transaction !== "string" || typeof nonce !== "string" ||
    !HEX64.test(transaction) || !HEX64.test(nonce)
  ) return undefined;
  const resource = readResource(given["resource"]);
  const extensions = objectOf(given["extensions"]);
  return {
    x402Version: version,
    accepted,
    payload: { transaction, nonce },
    ...(resource === undefined ? {} : { resource }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

const HEX64 = /^[0-9a-f]{64}$/;

/** Reads what a server says became of a payment; undefined when it says nothing of it. */
export function readSettleResponse(value: JsonValue | undefined): SettleResponse | undefined {
  const given = objectOf(value);
  const success = given?.["success"];
  if (given === undefined || typeof success !== "boolean") return undefined;
  const payer = textOf(given["payer"], 256);
  const errorReason = textOf(given["errorReason"], 256);
  const errorMessage = textOf(given["errorMessage"], 1024);
  const extensions = objectOf(given["extensions"]);
  return {
    success,
    transaction: textOf(given["transaction"], 256) ?? "",
    network: textOf(given["network"], 128) ?? "",
    ...(payer === undefined ? {} : { payer }),
    ...(errorReason === undefined ? {} : { errorReason }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}
