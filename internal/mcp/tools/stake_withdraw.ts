/** `sion_stake_withdraw`: stake back from a delegation that unbonded. */
import * as z from "zod/mini";
import { defineTool } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { delegation, signed, signedResult } from "./_shapes.ts";

export const stakeWithdraw = defineTool({
  name: "sion_stake_withdraw",
  title: "Withdraw a delegation’s stake",
  description: "Withdraw an unbonded delegation’s stake.",
  input: z.strictObject({ delegation, wallet: z.string() }),
  output: signedResult,
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "delegation",
  fromPrograms: false,
  async run(context: LedgerContext, { delegation: stake, wallet }) {
    const client = await context.client();
    return signed(await client.stake.withdraw({ stake, wallet, ...signOptions(context) }));
  },
});
