/** `sion_status`: the chain at a glance. Order and names of the result: the reference. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { hex64, integer } from "./_shapes.ts";

const count = z.int();

export const status = defineTool({
  name: "sion_status",
  title: "Chain status",
  description: "Chain status: latest Pulse, certified Pulse, world commitment, transaction counts.",
  input: z.strictObject({}),
  output: z.strictObject({
    active: z.boolean(),
    active_validators: count,
    anchors: count,
    beacon: hex64,
    certified_pulse: count,
    chain: hex64,
    chain_id: z.string(),
    claims: count,
    commitment: z.strictObject({
      config: hex64,
      knowledge_root: hex64,
      knowledge_size: count,
      pulse: count,
      state_root: hex64,
    }),
    epoch: count,
    epoch_end: integer,
    executed: z.tuple([count, count, count]),
    forced_overdue: count,
    forced_pending: count,
    genesis: hex64,
    insecure_signatures: z.boolean(),
    objects: count,
    proven_pulse: count,
    pulse: count,
    read_only: z.optional(z.boolean()),
    round: count,
    session: count,
    shards: count,
    validator: hex64,
    validators: count,
  }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  async run(context: LedgerContext) {
    const client = await context.client();
    return jsonResult(await client.status({ signal: context.signal }));
  },
});
