/** `sion_stake_claim`: what a delegation earned. */
import * as z from "zod/mini";
import { defineTool } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { delegation, signed, signedResult } from "./_shapes.ts";

export const stakeClaim = defineTool({
  name: "sion_stake_claim",
  title: "Collect a delegation’s rewards",
  description: "Collect a delegation’s rewards (USD).",
  input: z.strictObject({ delegation, wallet: z.string() }),
  output: signedResult,
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "delegation",
  fromPrograms: false,
  async run(context: LedgerContext, { delegation: stake, wallet }) {
    const client = await context.client();
    return signed(await client.stake.claim({ stake, wallet, ...signOptions(context) }));
  },
});
