/** `sion_stake_delegate`: stake for a validator's pool. */
import { formatUsd } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { signed, signedResult, usd } from "./_shapes.ts";

export const stakeDelegate = defineTool({
  name: "sion_stake_delegate",
  title: "Delegate stake",
  description: "Delegate stake to a validator’s pool without handing it over: the wallet keeps a " +
    "delegation object holding pool shares. It counts towards the validator’s weight and earns a " +
    "share of its rewards, less the validator’s commission, from the end of this epoch; it shares " +
    "the validator’s slashing risk (a tenth of the pool on equivocation). Refused if it would give " +
    "the validator more than twice an equal share of the bonded stake.",
  input: z.strictObject({
    amount: usd.check(z.describe("Stake, in the stake asset (at least 1)")),
    validator: z.string().check(z.describe("Validator id (hex) or a unique prefix")),
    wallet: z.string(),
  }),
  output: signedResult,
  highestEffect: "spend",
  targets: ({ amount, validator }) => [
    { kind: "validator", to: validator, amount: formatUsd(amount) },
  ],
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "validator",
  fromPrograms: false,
  async run(context: LedgerContext, given) {
    const client = await context.client();
    return signed(await client.stake.delegate({ ...given, ...signOptions(context) }));
  },
});
