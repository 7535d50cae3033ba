/** Meeting an offer for a program that speaks HTTP itself: what the official packages' clients call. */
import type { SionPayload } from "#internal/x402/mod.ts";
import { networkOf, offerDifference, offerFault, resourceOf } from "#internal/x402/mod.ts";
import type { Context } from "./context.ts";
import { badArgument } from "./errors.ts";
import { tooDear } from "./paid_errors.ts";
import type { OfferPayment } from "./paid_types.ts";
import { keptPayment, payFor, prepareErrand } from "./purchase.ts";

/**
 * The payment for an offer: one that was made for the same offer and that nobody took, else a new one.
 * @throws {SionError} `argument`, `too-dear`, and what paying throws
 */
export async function payOffer(context: Context, asked: OfferPayment): Promise<SionPayload> {
  const { offer } = asked;
  const errand = await prepareErrand(context, asked);
  try {
    const { facts, usd } = errand;
    const fault = offerFault(offer, { chain: facts.chain, asset: usd });
    const resource = resourceOf(offer);
    if (fault !== undefined || resource === undefined) {
      throw badArgument(
        `the offer cannot be met on ${networkOf(facts.chain)} (${fault}): nothing was paid`,
      );
    }
    const kept = await keptPayment(
      errand,
      resource,
      (other) =>
        offerDifference(offer, other) === undefined && offerDifference(other, offer) === undefined,
    );
    if (kept !== undefined) return { transaction: kept.digest, nonce: kept.nonce };
    const amount = BigInt(offer.amount);
    if (amount > asked.most) throw tooDear(amount, asked.most);
    const { digest, nonce } = await payFor(errand, resource, offer);
    return { transaction: digest, nonce };
  } finally {
    for (const purchase of errand.held) context.work.purchases.delete(purchase);
  }
}

/** Says that a payment was taken: it is not shown again. */
export async function offerTaken(
  context: Context,
  { nonce, transaction }: SionPayload,
): Promise<void> {
  const state = await context.state();
  for (const kept of state.purchasesPaidBy(transaction)) {
    if (kept.nonce === nonce) await state.endPurchase(kept.purchase);
  }
}
