/**
 * What binds a payment to what it pays for: 32 bytes in the transaction that only somebody who knows
 * a secret can show to be of one method, one URL and one offer. docs/protocol/x402.md has them to
 * the byte.
 */
import { encode, id, isHex64, struct, text, toHex, u64, utf8 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { PaymentRequirements } from "./wire.ts";
import { MAX_URL_BYTES, NETWORK_FAMILY } from "./wire.ts";

/** Longest method. */
const MAX_METHOD_BYTES = 32;
/** Longest purpose of an agent's payment (docs/protocol/ledger.md). */
const MAX_PURPOSE_BYTES = 1024;
/** Digits of a chain identity in a network's name: what CAIP-2 leaves room for. */
const NETWORK_DIGITS = 32;

const bindingCodec = struct({
  nonce: id,
  network: text(64),
  payTo: id,
  asset: id,
  amount: u64,
  method: text(MAX_METHOD_BYTES),
  url: text(MAX_URL_BYTES),
});

/** What a payment of this chain is for. */
export interface Resource {
  /** In upper case; HEAD is priced as GET, and so is GET. */
  readonly method: string;
  /** In normal form. */
  readonly url: string;
}

/** The network's name of a chain: `sion:6345655cfd2a714ed1dab69c0660f2f4`. */
export function networkOf(chain: string): `${string}:${string}` {
  return `${NETWORK_FAMILY}:${chain.slice(0, NETWORK_DIGITS)}`;
}

/** The method that a request is priced as. */
export function pricedMethod(method: string): string {
  const upper = method.toUpperCase();
  return upper === "HEAD" ? "GET" : upper;
}

/**
 * The normal form of a URL: as the WHATWG standard writes it, without user, password and fragment, each
 * `%xx` in upper case, and plain where the character needs none. Undefined when it is not of HTTP, or
 * is too long.
 */
export function normalUrl(given: string): string | undefined {
  const url = URL.parse(given);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  const plain = url.href.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });
  // What was unescaped may be a dot segment now.
  const normal = URL.parse(plain)?.href ?? plain;
  return utf8(normal).length <= MAX_URL_BYTES ? normal : undefined;
}

/** What an offer says it is for; undefined when it does not, or not in normal form. */
export function resourceOf({ extra }: PaymentRequirements): Resource | undefined {
  const method = extra?.["method"];
  const url = extra?.["url"];
  if (typeof method !== "string" || typeof url !== "string") return undefined;
  if (!/^[A-Z]{1,32}$/.test(method) || pricedMethod(method) !== method) return undefined;
  return normalUrl(url) === url ? { method, url } : undefined;
}

/**
 * The memo of a payment: H over the secret, the offer and what it is for.
 * @throws {TypeError} when the offer is not one of this chain's.
 */
export function paymentMemo(nonce: string, offer: PaymentRequirements): string {
  const resource = resourceOf(offer);
  if (resource === undefined || !isHex64(offer.payTo) || !isHex64(offer.asset)) {
    throw new TypeError("Cannot bind a payment: the offer is not of this scheme");
  }
  const { network, payTo, asset, amount } = offer;
  const fields = { nonce, network, payTo, asset, amount: BigInt(amount), ...resource };
  return toHex(taggedHash("sion/x402/v1", encode(bindingCodec, fields)));
}

/** What an agent's payment gives as its purpose: the memo, then for people what it is for. */
export function agentPurpose(memo: string, { method, url }: Resource): string {
  const whole = `x402 ${memo} ${method} ${url}`;
  // A normal URL is ASCII, so that characters are bytes.
  return whole.length <= MAX_PURPOSE_BYTES ? whole : whole.slice(0, MAX_PURPOSE_BYTES);
}

/** Whether an agent's payment has the memo. */
export function hasMemo(purpose: string, memo: string): boolean {
  const beginning = `x402 ${memo}`;
  return purpose === beginning || purpose.startsWith(`${beginning} `);
}
