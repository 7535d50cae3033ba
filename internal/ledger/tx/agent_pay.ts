/**
 * A payment by an agent out of an allotment, within its charter and every charter above, all or
 * none. Money, payees and limits are the ledger's to check, whatever the agent was told.
 */
import { id, option, struct, text, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { defineTxKind } from "../kind.ts";
import { MAX_PURPOSE_BYTES, MAX_REFERENCE_BYTES } from "../objects/claim.ts";
import { fieldsOf } from "../receipt.ts";
import type { View } from "../view.ts";
import { issueReceipt, spendBudget } from "./_budget.ts";

/** Micro-USD beyond the floor of a payment alone in its unit that names its session and call. */
const NAMED_CALL_FEE = 100n;

const codec = struct({
  charter: id,
  allotment: id,
  payee: id,
  /** Micro-USD. */
  amount: u64,
  purpose: text(MAX_PURPOSE_BYTES),
  /** The agent session and the call in it that the payment belongs to, for its receipt claim. */
  session: option(text(MAX_REFERENCE_BYTES)),
  call: option(text(MAX_REFERENCE_BYTES)),
});

/** Body of `agent_pay`. */
export type AgentPayBody = ValueOf<typeof codec>;

export const agentPay = defineTxKind({
  name: "agent_pay",
  tag: 40,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ amount }: AgentPayBody) => amount === 0n ? "an amount must be above 0" : undefined,
  touches: ({ charter, allotment }) => ({ shared: [charter, allotment] }),
  beyondFloor: ({ session, call }, unit) =>
    unit.members.length === 1 && session !== null && call !== null ? NAMED_CALL_FEE : 0n,
  intent: ({ charter, allotment, payee, amount, purpose }, say) =>
    `Pay ${say.amount(amount)} to ${say.account(payee)} from allotment ${say.short(allotment)} ` +
    `under charter ${say.short(charter)}${purpose === "" ? "" : `, for ${say.quote(purpose)}`}`,
  apply(view: View, body) {
    const { charter, payee, amount, purpose, session, call } = body;
    const { asset, receipts } = spendBudget(view, body);
    view.credit(payee, asset, amount);
    const receipt = receipts
      ? issueReceipt(view, { charter, payee, asset, amount, purpose, session, call })
      : null;
    view.emit("AgentPaid", { amount, charter, payee, receipt });
  },
  tells: {
    AgentPaid(fields, say) {
      const claim = fields.idIfAny("receipt");
      return `agent paid ${say.amount(fields.amount("amount"))} to ` +
        `${say.account(fields.id("payee"))} under charter ${say.short(fields.id("charter"))}` +
        (claim === undefined ? "" : ` (receipt claim ${say.short(claim)})`);
    },
  },
  done(receipt, { payee, amount }, say) {
    const { receipt: claim } = fieldsOf(receipt, "AgentPaid");
    const named = typeof claim === "string" ? ` (receipt claim ${say.short(claim)})` : "";
    return `agent paid ${say.amount(amount)} to ${say.account(payee)}${named}`;
  },
});
