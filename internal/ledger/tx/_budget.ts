/** What kinds that spend an agent's allotment share: the caveats on the way, the charge, its receipt. */
import { formatUsdGrouped, MAX_AMOUNT } from "#internal/core/mod.ts";
import { chartersAbove, lineOf, standingFault } from "../delegation.ts";
import { allotmentKind } from "../objects/allotment.ts";
import { caveatFault, charged, charterKind } from "../objects/charter.ts";
import { ONLY_EXECUTION, PAYMENT_RECEIPT_SCHEMA } from "../objects/claim.ts";
import type { PaymentSubject } from "../objects/claim.ts";
import type { Budget } from "../objects/task.ts";
import type { View } from "../view.ts";

/** What is to be spent. */
export interface Spending extends Budget {
  /** The account that is paid; null when nobody knows yet, which no list of payees allows. */
  readonly payee: string | null;
  /** Micro-units of the allotment's asset. */
  readonly amount: bigint;
}

/** What was spent of. */
export interface Spent {
  readonly asset: string;
  /** Whether a charter asks for a receipt claim. */
  readonly receipts: boolean;
}

/** Charges the charter and those above it. Fails, naming the first caveat that is in the way. */
function chargeCharters(view: View, spending: Spending): { receipts: boolean } {
  const chain = chartersAbove(view, spending.charter);
  for (const [steps, { value }] of chain.entries()) {
    const fault = caveatFault(value, spending, view);
    view.require(
      fault === undefined,
      "charter caveat violated",
      steps === 0 ? `${fault}` : `narrowed above: ${fault}`,
    );
  }
  for (const { id, value } of chain) {
    if (value.bucket) view.put(charterKind, id, charged(value, spending.amount, view));
  }
  return { receipts: chain.some(({ value }) => value.caveats.receipts) };
}

/**
 * Takes an amount out of an allotment of the acting account's agent, and out of the buckets of its
 * charter and of all above, all or none.
 */
export function spendBudget(view: View, spending: Spending): Spent {
  const { agent } = view.need(charterKind, spending.charter);
  const line = lineOf(view, agent);
  view.require(
    line[0].value.account === view.actor,
    "unauthorized",
    "only the charter's agent may pay under it",
  );
  const allotment = view.need(allotmentKind, spending.allotment);
  view.require(
    allotment.charter === spending.charter,
    "invalid transaction",
    "the allotment is not one of this charter",
  );
  const standing = standingFault(line);
  view.require(standing === undefined, "charter caveat violated", `${standing}`);
  const { receipts } = chargeCharters(view, spending);
  view.require(
    spending.amount <= allotment.balance,
    "charter caveat violated",
    `allotment holds only ${formatUsdGrouped(allotment.balance)} USD`,
  );
  const spent = allotment.spent + spending.amount;
  view.put(allotmentKind, spending.allotment, {
    ...allotment,
    balance: allotment.balance - spending.amount,
    // Money can come round again, so that more is paid in all than exists.
    spent: spent > MAX_AMOUNT ? MAX_AMOUNT : spent,
  });
  return { asset: allotment.asset, receipts };
}

/** Issues the receipt claim of a payment out of an allotment, and returns its id. */
export function issueReceipt(view: View, payment: Omit<PaymentSubject, "transaction">): string {
  return view.issue({
    issuer: view.actor,
    schema: PAYMENT_RECEIPT_SCHEMA,
    subject: { kind: "payment", body: { transaction: view.digest, ...payment } },
    basis: { kind: "execution", body: {} },
    issued: view.pulse,
    validUntil: null,
  }, ONLY_EXECUTION);
}
