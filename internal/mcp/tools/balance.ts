/** `sion_balance`: what an account holds. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { accountName, decimalUsd, hex64 } from "./_shapes.ts";

export const balance = defineTool({
  name: "sion_balance",
  title: "Account balances",
  description: "Balances of an account.",
  input: z.strictObject({ account: accountName }),
  output: z.strictObject({
    account: hex64,
    balances: z.array(z.strictObject({ amount: decimalUsd, asset: z.string() })),
    pulse: z.int(),
  }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "account",
  fromPrograms: true,
  async run(context: LedgerContext, { account }) {
    const client = await context.client();
    return jsonResult(await client.balance(account, { signal: context.signal }));
  },
});
