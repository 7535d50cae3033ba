/** `sion_agent_pay`: a payment under a charter, whose limits the ledger enforces. */
import { formatUsd } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { accountName, event, hex64, transactionStatus, usd } from "./_shapes.ts";

export const agentPay = defineTool({
  name: "sion_agent_pay",
  title: "Pay under a charter",
  description: "Pay from an Agent Charter allotment. The ledger enforces the charter’s payees, " +
    "per-payment limit, bucket (what it may spend at once and how fast that refills), expiry, " +
    "revocation and any narrowing above it; a receipt claim is issued if the charter requires it.",
  input: z.strictObject({
    agent: z.string(),
    allotment: z.string(),
    amount_usd: usd,
    charter: z.string(),
    payee: accountName,
    purpose: z.string(),
  }),
  output: z.strictObject({
    digest: hex64,
    events: z.array(event),
    pulse: z.int(),
    receipt: z.string(),
    status: transactionStatus,
  }),
  highestEffect: "spend",
  targets: ({ amount_usd, payee }) => [
    { kind: "account", to: payee, amount: formatUsd(amount_usd) },
  ],
  repeatHarmless: false,
  openWorld: true,
  mainArgument: "payee",
  fromPrograms: false,
  async run(context: LedgerContext, { amount_usd: amount, ...payment }) {
    const client = await context.client();
    const outcome = await client.agentPay({ ...payment, amount, ...signOptions(context) });
    const { digest, events, pulse, receipt, status } = outcome;
    return jsonResult({ digest, events, pulse, receipt, status });
  },
});
