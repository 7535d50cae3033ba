/** `sion_stake_show`: an account's delegations. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { accountName, decimalUsd, hex64 } from "./_shapes.ts";

export const stakeShow = defineTool({
  name: "sion_stake_show",
  title: "Delegations of an account",
  description: "An account’s delegations: validator, shares, the stake behind them, state " +
    "(pending, earning or unbonding) and the rewards owed now.",
  input: z.strictObject({ account: accountName }),
  output: z.strictObject({
    account: hex64,
    delegations: z.array(z.strictObject({
      delegation: hex64,
      phase: z.enum(["pending", "earning", "unbonding"]),
      rewards_owed: decimalUsd,
      shares: z.string().check(z.regex(/^\d+$/)),
      since: z.int(),
      stake: z.string().check(z.regex(/^\d{1,3}(,\d{3})*(\.\d*[1-9])?$/)),
      state: z.string(),
      validator: hex64,
      withdrawable_at: z.nullable(z.int()),
    })),
    epoch: z.int(),
  }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "account",
  fromPrograms: true,
  async run(context: LedgerContext, { account }) {
    const client = await context.client();
    return jsonResult(await client.stake.show(account, { signal: context.signal }));
  },
});
