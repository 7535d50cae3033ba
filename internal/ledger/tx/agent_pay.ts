/**
 * A payment by an agent out of an allotment, within its charter and every charter above, all or
 * none. Money, payees and limits are the ledger's to check, whatever the agent was told.
 */
import { formatUsdGrouped, id, MAX_AMOUNT, option, struct, text, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { chartersAbove, lineOf, standingFault } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import { allotmentKind } from "../objects/allotment.ts";
import { caveatFault, charged, charterKind } from "../objects/charter.ts";
import {
  MAX_PURPOSE_BYTES,
  MAX_REFERENCE_BYTES,
  ONLY_EXECUTION,
  PAYMENT_RECEIPT_SCHEMA,
} from "../objects/claim.ts";
import { fieldsOf } from "../receipt.ts";
import type { View } from "../view.ts";

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

/** Charges the charter and those above it. Fails, naming the first caveat that is in the way. */
function chargeCharters(view: View, body: AgentPayBody): { receipts: boolean } {
  const chain = chartersAbove(view, body.charter);
  for (const [steps, { value }] of chain.entries()) {
    const fault = caveatFault(value, body, view);
    view.require(
      fault === undefined,
      "charter caveat violated",
      steps === 0 ? `${fault}` : `narrowed above: ${fault}`,
    );
  }
  for (const { id, value } of chain) {
    if (value.bucket) view.put(charterKind, id, charged(value, body.amount, view));
  }
  return { receipts: chain.some(({ value }) => value.caveats.receipts) };
}

function issueReceipt(view: View, asset: string, body: AgentPayBody): string {
  const { charter, payee, amount, purpose, session, call } = body;
  return view.issue({
    issuer: view.actor,
    schema: PAYMENT_RECEIPT_SCHEMA,
    subject: {
      kind: "payment",
      body: {
        transaction: view.digest,
        charter,
        payee,
        asset,
        amount,
        purpose,
        session,
        call,
      },
    },
    basis: { kind: "execution", body: {} },
    issued: view.pulse,
    validUntil: null,
  }, ONLY_EXECUTION);
}

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
    const { agent } = view.need(charterKind, body.charter);
    const line = lineOf(view, agent);
    view.require(
      line[0].value.account === view.actor,
      "unauthorized",
      "only the charter's agent may pay under it",
    );
    const allotment = view.need(allotmentKind, body.allotment);
    view.require(
      allotment.charter === body.charter,
      "invalid transaction",
      "the allotment is not one of this charter",
    );
    const standing = standingFault(line);
    view.require(standing === undefined, "charter caveat violated", `${standing}`);
    const { receipts } = chargeCharters(view, body);
    view.require(
      body.amount <= allotment.balance,
      "charter caveat violated",
      `allotment holds only ${formatUsdGrouped(allotment.balance)} USD`,
    );
    const spent = allotment.spent + body.amount;
    view.put(allotmentKind, body.allotment, {
      ...allotment,
      balance: allotment.balance - body.amount,
      // Money can come round again, so that more is paid in all than exists.
      spent: spent > MAX_AMOUNT ? MAX_AMOUNT : spent,
    });
    view.credit(body.payee, allotment.asset, body.amount);
    const receipt = receipts ? issueReceipt(view, allotment.asset, body) : null;
    view.emit("AgentPaid", {
      amount: body.amount,
      charter: body.charter,
      payee: body.payee,
      receipt,
    });
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
