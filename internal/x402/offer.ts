/** Offers: what a server asks, which of them a client can take, whether two are the same. */
import { isHex64, MAX_AMOUNT, stringifyJson } from "#internal/core/mod.ts";
import type { Resource } from "./binding.ts";
import { networkOf, normalUrl, resourceOf } from "./binding.ts";
import type { Reason } from "./reasons.ts";
import type { PaymentRequired, PaymentRequirements } from "./wire.ts";
import { SCHEME } from "./wire.ts";

/** Payment flows that a payer of this chain can follow: it has paid before it shows the payment. */
const FLOWS: ReadonlySet<unknown> = new Set([undefined, "authorization", "upfront"]);

/** What an offer asks for, on one chain. */
export interface Terms {
  /** Chain identity. */
  readonly chain: string;
  readonly asset: string;
  readonly payTo: string;
  /** Micro-units. */
  readonly amount: bigint;
  readonly resource: Resource;
  readonly maxTimeoutSeconds: number;
}

/** An offer of these terms. */
export function offerOf(terms: Terms): PaymentRequirements {
  return {
    scheme: SCHEME,
    network: networkOf(terms.chain),
    amount: terms.amount.toString(),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: { ...terms.resource, paymentFlow: "upfront" },
  };
}

/** Why an offer cannot be met on a chain; undefined when it can be. */
export function offerFault(
  offer: PaymentRequirements,
  on: { readonly chain: string; readonly asset: string },
): Reason | undefined {
  if (offer.scheme !== SCHEME) return "unsupported_scheme";
  if (offer.network !== networkOf(on.chain)) return "invalid_network";
  if (offer.asset !== on.asset) return "invalid_exact_sion_asset_mismatch";
  const amount = BigInt(offer.amount);
  const isWhole = isHex64(offer.payTo) && amount > 0n && amount <= MAX_AMOUNT &&
    amount.toString() === offer.amount && resourceOf(offer) !== undefined &&
    FLOWS.has(offer.extra?.["paymentFlow"]);
  return isWhole ? undefined : "invalid_payment_requirements";
}

/**
 * The cheapest offer that can be met and is for this very request; undefined when there is none.
 * @param resource what was asked for.
 */
export function takeableOffer(
  required: PaymentRequired,
  on: { readonly chain: string; readonly asset: string },
  resource: Resource,
): PaymentRequirements | undefined {
  const { origin } = new URL(resource.url);
  const named = required.resource?.url;
  if (named !== undefined && URL.parse(named)?.origin !== origin) return undefined;
  return required.accepts
    .filter((offer) => offerFault(offer, on) === undefined)
    .filter((offer) => {
      const meant = resourceOf(offer);
      return meant?.method === resource.method && meant.url === resource.url;
    })
    .toSorted((a, b) => BigInt(a.amount) < BigInt(b.amount) ? -1 : 1)[0];
}

/**
 * Where what the payer took differs from what the server offers, field by field; undefined when it is
 * the same. What the payer adds under `extra` does not count.
 */
export function offerDifference(
  offer: PaymentRequirements,
  accepted: PaymentRequirements,
): Reason | undefined {
  if (accepted.scheme !== offer.scheme) return "unsupported_scheme";
  if (accepted.network !== offer.network) return "invalid_network";
  if (accepted.asset !== offer.asset) return "invalid_exact_sion_asset_mismatch";
  if (accepted.amount !== offer.amount) return "invalid_exact_sion_amount_mismatch";
  if (accepted.payTo !== offer.payTo) return "invalid_exact_sion_recipient_mismatch";
  if (accepted.maxTimeoutSeconds !== offer.maxTimeoutSeconds) return "invalid_payload";
  const same = Object.entries(offer.extra ?? {}).every(([name, value]) =>
    stringifyJson(accepted.extra?.[name] ?? null) === stringifyJson(value ?? null)
  );
  return same ? undefined : "invalid_exact_sion_resource_mismatch";
}

/** What is asked for, in normal form; undefined when it cannot be paid for. */
export function resourceAsked(method: string, url: string): Resource | undefined {
  const normal = normalUrl(url);
  return normal === undefined ? undefined : { method, url: normal };
}
