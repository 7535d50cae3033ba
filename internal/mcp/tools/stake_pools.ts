/** `sion_stake_pools`: validators, their stake and what is delegated to them. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";

export const stakePools = defineTool({
  name: "sion_stake_pools",
  title: "Validators and their pools",
  description: "Every validator with its own stake, its pool of delegated stake (and how much of " +
    "it earns), its commission and its weight in the active set.",
  input: z.strictObject({}),
  output: z.strictObject({ pools: z.array(z.string()) }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  async run(context: LedgerContext) {
    const client = await context.client();
    const { lines } = await client.stake.pools({ signal: context.signal });
    return jsonResult({ pools: [...lines] });
  },
});
