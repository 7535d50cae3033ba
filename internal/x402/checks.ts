/** Whether a transaction that the ledger executed is the payment that an offer asks for. */
import { hasMemo, paymentMemo } from "./binding.ts";
import type { Reason } from "./reasons.ts";
import type { PaymentRequirements } from "./wire.ts";

/** What of a payment's body counts, whichever kind it is. */
interface Paid {
  readonly asset: string;
  readonly payee: string;
  readonly amount: bigint;
  readonly carries: (memo: string) => boolean;
}

/** How each kind of payment says what it is for. Agents pay in USD, from an allotment of it. */
const PAYMENTS: {
  readonly [kind: string]: ((body: never, usd: string) => Paid) | undefined;
} = {
  pay_memo: (
    body: {
      readonly asset: string;
      readonly payee: string;
      readonly amount: bigint;
      readonly memo: string;
    },
  ) => ({ ...body, carries: (memo) => body.memo === memo }),
  agent_pay: (
    body: { readonly payee: string; readonly amount: bigint; readonly purpose: string },
    asset,
  ) => ({ ...body, asset, carries: (memo) => hasMemo(body.purpose, memo) }),
};

/**
 * Why a transaction is not the payment for an offer; undefined when it is.
 * @param transaction kind and body, known by the transaction's digest, and known to have succeeded.
 * @param nonce the secret that whoever shows the payment knows.
 * @param usd id of the asset USD.
 */
export function paymentFault(
  transaction: { readonly kind: string; readonly body: unknown },
  offer: PaymentRequirements,
  { nonce, usd }: { readonly nonce: string; readonly usd: string },
): Reason | undefined {
  const paidBy = Object.hasOwn(PAYMENTS, transaction.kind) ? PAYMENTS[transaction.kind] : undefined;
  if (paidBy === undefined) return "invalid_exact_sion_resource_mismatch";
  const paid = paidBy(transaction.body as never, usd);
  if (paid.payee !== offer.payTo) return "invalid_exact_sion_recipient_mismatch";
  if (paid.asset !== offer.asset) return "invalid_exact_sion_asset_mismatch";
  if (paid.amount !== BigInt(offer.amount)) return "invalid_exact_sion_amount_mismatch";
  return paid.carries(paymentMemo(nonce, offer))
    ? undefined
    : "invalid_exact_sion_resource_mismatch";
}
