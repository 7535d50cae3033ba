/**
 * Why a payment is not taken, as facilitators and servers say it: the words of x402 where it has
 * one, else `invalid_exact_sion_…`. Receivers match on them, so that none is ever renamed.
 */

/**
 * - `invalid_x402_version`, `invalid_payload`, `invalid_payment_requirements`: not of the form.
 * - `unsupported_scheme`, `invalid_network`: another scheme, another chain.
 * - `invalid_exact_sion_…_mismatch`: the payment is not of the offer's asset, amount or payee, or is
 *   for another method or URL (or somebody else's: only its maker knows what it is bound to).
 * - `invalid_transaction_state`: not there, failed, or never to be executed.
 * - `settlement_pending`: under way; the same payment is to be shown again.
 * - `duplicate_settlement`: the payment was taken already.
 * - `unexpected_verify_error`, `unexpected_settle_error`: the facilitator could not tell.
 */
export type Reason =
  | "invalid_x402_version"
  | "invalid_payload"
  | "invalid_payment_requirements"
  | "unsupported_scheme"
  | "invalid_network"
  | "invalid_exact_sion_asset_mismatch"
  | "invalid_exact_sion_amount_mismatch"
  | "invalid_exact_sion_recipient_mismatch"
  | "invalid_exact_sion_resource_mismatch"
  | "invalid_transaction_state"
  | "settlement_pending"
  | "duplicate_settlement"
  | "unexpected_verify_error"
  | "unexpected_settle_error";

/** A reason in words, for whoever reads the answer. */
export const REASON_TEXTS: { readonly [reason in Reason]: string } = {
  invalid_x402_version: "only version 2 is taken",
  invalid_payload: "the payment is not of the form that this scheme has",
  invalid_payment_requirements: "the offer is not of the form that this scheme has",
  unsupported_scheme: "only the scheme exact is taken",
  invalid_network: "the payment is on another chain",
  invalid_exact_sion_asset_mismatch: "the payment is in another asset",
  invalid_exact_sion_amount_mismatch: "the payment is of another amount",
  invalid_exact_sion_recipient_mismatch: "the payment went to another account",
  invalid_exact_sion_resource_mismatch: "the payment is for another method, URL or offer",
  invalid_transaction_state: "the ledger has executed no such payment",
  settlement_pending: "the payment is not executed and certified yet",
  duplicate_settlement: "the payment was taken already",
  unexpected_verify_error: "the payment could not be looked up",
  unexpected_settle_error: "the payment could not be looked up",
};
