/** What can go wrong when HTTP is paid for, each with the sentence that a person reads. */
import { formatUsd, shortId, SionError } from "#internal/core/mod.ts";
import type { PaymentRequired } from "#internal/x402/mod.ts";

/**
 * - `too-dear`: the server asks more than may be paid. Data: `asked`, `most` (micro-USD).
 * - `offer-unfit`: the server asks for no payment that can be made here. Data: none.
 * - `payment-failed`: the ledger took the payment and it failed. Data: `digest`.
 * - `payment-not-taken`: paid, and the server refuses it; it is kept. Data: `digest`, `reason`.
 * - `payment-used`: paid, and the server says that it took it before. Data: `digest`.
 * - `payment-unanswered`: paid, and no answer came; it is kept. Data: `digest`.
 * - `redirects`: the server sends from place to place. Data: none.
 */
export type PaidErrorCode =
  | "too-dear"
  | "offer-unfit"
  | "payment-failed"
  | "payment-not-taken"
  | "payment-used"
  | "payment-unanswered"
  | "redirects";

type PaidError = SionError<PaidErrorCode>;

/** More than the limit. Amounts in micro-USD. */
export function tooDear(asked: bigint, most: bigint): PaidError {
  return new SionError(
    "too-dear",
    `the server asks ${formatUsd(asked)} USD, more than the ${
      formatUsd(most)
    } USD this client may pay`,
    { data: { asked, most } },
  );
}

/** No offer on this chain, or none for what was asked. */
export function offerUnfit(host: string, required: PaymentRequired, network: string): PaidError {
  const offered = [
    ...new Set(required.accepts.map(({ scheme, network }) => `${scheme} on ${network}`)),
  ];
  const sameChain = required.accepts.some((offer) => offer.network === network);
  const why = sameChain
    ? "its offer is for another URL or method, or in another asset"
    : `it takes ${
      offered.length === 0 ? "nothing that is known here" : offered.slice(0, 4).join(", ")
    }`;
  return new SionError(
    "offer-unfit",
    `${host} cannot be paid on ${network}, ${why}: nothing was paid`,
  );
}

/** The ledger's own refusal: a charter, or money that went elsewhere. @param fee USD */
export function paymentFailed(reason: string, fee: string, digest: string): PaidError {
  return new SionError(
    "payment-failed",
    `the ledger refused the payment (${reason}): nothing was paid except the fee of ${fee} USD`,
    { data: { digest } },
  );
}

/** The server does not take what was paid for it. */
export function paymentNotTaken(host: string, digest: string, reason: string): PaidError {
  return new SionError(
    "payment-not-taken",
    `${host} does not take payment ${shortId(digest)} (${reason}): it is kept and shown again ` +
      "the next time, `sion fetch --again` gives it up and pays once more",
    { data: { digest, reason } },
  );
}

/** It was taken before, and its answer did not come here. */
export function paymentUsed(host: string, digest: string): PaidError {
  return new SionError(
    "payment-used",
    `${host} says that it took payment ${
      shortId(digest)
    } before, and does not answer to it again: ` +
      "ask whoever runs it; fetching once more pays once more",
    { data: { digest } },
  );
}

/** Paid, and not answered. */
export function paymentUnanswered(host: string, digest: string, cause: unknown): PaidError {
  return new SionError(
    "payment-unanswered",
    `${host} did not answer to payment ${shortId(digest)}: give the same again, ` +
      "it is kept and shown again, nothing is paid twice",
    { data: { digest }, cause },
  );
}

/** Paid, and answered with more than is taken. */
export function paidAnswerTooLarge(host: string, digest: string, cause: unknown): PaidError {
  return new SionError(
    "payment-unanswered",
    `${host} answers to payment ${
      shortId(digest)
    } with more than is fetched: it is kept and shown ` +
      "again the next time, `sion fetch --again` gives it up and pays once more",
    { data: { digest }, cause },
  );
}

/** A circle, or an end that never comes. */
export function tooManyRedirects(host: string, why: string): PaidError {
  return new SionError("redirects", `${host} sends ${why}: ask for the last place itself`);
}
