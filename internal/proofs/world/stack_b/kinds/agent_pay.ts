/** `agent_pay`: a payment by an agent, from an allotment, within every charter above. */
import { id, option, struct, text, u64 } from "#internal/core/mod.ts";
import { defineKind } from "../kind.ts";
import { issueReceipt, spend } from "../spending.ts";

/** Micro-USD for a receipt that names the session and the call it was made for. */
const NAMED_RECEIPT_FEE = 100n;

/** docs/protocol/ledger.md, agent_pay. */
export const agentPay = defineKind({
  name: "agent_pay",
  tag: 40,
  codec: struct({
    charter: id,
    allotment: id,
    payee: id,
    amount: u64,
    purpose: text(1024),
    session: option(text(128)),
    call: option(text(128)),
  }),
  fixes: "execution",
  fault: ({ amount }) => amount === 0n ? "an amount is 0" : null,
  beyond: ({ session, call }, alone) =>
    alone && session !== null && call !== null ? NAMED_RECEIPT_FEE : 0n,
  apply(context, body) {
    const { amount, charter, payee } = body;
    const { asset, asked } = spend(context, body);
    context.credit(payee, asset, amount);
    const receipt = asked ? issueReceipt(context, asset, body) : null;
    return { AgentPaid: { amount, charter, payee, receipt } };
  },
});
