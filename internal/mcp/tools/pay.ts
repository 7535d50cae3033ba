/** `sion_pay`: a transfer from a wallet of this machine, waited for until it is executed. */
import { formatUsd } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { accountName, decimalUsd, hex64, transactionStatus, usd } from "./_shapes.ts";

export const pay = defineTool({
  name: "sion_pay",
  title: "Pay",
  description:
    "Pay USD from a wallet this server holds keys for. Final once the lane certificate " +
    "forms; executes in the next Pulse.",
  input: z.strictObject({
    amount_usd: usd.check(z.describe("Amount in USD")),
    from: z.string().check(z.describe("Wallet name")),
    to: accountName,
  }),
  output: z.strictObject({
    digest: hex64,
    fee: decimalUsd,
    pulse: z.int(),
    receipt: z.string(),
    status: transactionStatus,
  }),
  highestEffect: "spend",
  targets: ({ amount_usd, to }) => [{ kind: "account", to, amount: formatUsd(amount_usd) }],
  repeatHarmless: false,
  openWorld: true,
  mainArgument: "to",
  fromPrograms: false,
  async run(context: LedgerContext, { amount_usd: amount, from, to }) {
    const client = await context.client();
    const outcome = await client.pay({ from, to, amount, ...signOptions(context) });
    const { digest, fee, pulse, receipt, status } = outcome;
    return jsonResult({ digest, fee, pulse, receipt, status });
  },
});
