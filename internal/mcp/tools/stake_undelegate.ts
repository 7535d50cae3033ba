/** `sion_stake_undelegate`: the end of a delegation, and the beginning of its unbonding. */
import * as z from "zod/mini";
import { defineTool } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { delegation, signed, signedResult } from "./_shapes.ts";

export const stakeUndelegate = defineTool({
  name: "sion_stake_undelegate",
  title: "Stop a delegation",
  description: "Stop a delegation earning: collect its rewards and start unbonding. The stake " +
    "stays slashable until it is withdrawn after the unbonding period.",
  input: z.strictObject({ delegation, wallet: z.string() }),
  output: signedResult,
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "delegation",
  fromPrograms: false,
  async run(context: LedgerContext, given) {
    const client = await context.client();
    return signed(await client.stake.undelegate({ ...given, ...signOptions(context) }));
  },
});
