/** `sion_events`: what happened on the ledger, from a Pulse on. The result is a list. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { event, hex64 } from "./_shapes.ts";

/** The most that one call lists, so that one answer stays readable. */
const MAX_EVENTS = 1000;
const LIMIT_RULE = `must be from 1 to ${MAX_EVENTS}: ask again from the last Pulse for more`;

export const events = defineTool({
  name: "sion_events",
  title: "Recent events",
  description: "Recent events from a Pulse on.",
  input: z.strictObject({
    from: z.optional(
      z.int().check(z.refine((from) => from >= 0, "must be the number of a Pulse, 0 or above")),
    ),
    limit: z.optional(
      z.int().check(z.refine((limit) => limit >= 1 && limit <= MAX_EVENTS, LIMIT_RULE)),
    ),
  }),
  output: z.array(
    z.strictObject({ event, pulse: z.int(), tx: z.union([hex64, z.null()]) }),
  ),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  async run(context: LedgerContext, { from, limit }) {
    const client = await context.client();
    const range = {
      ...(from === undefined ? {} : { from }),
      ...(limit === undefined ? {} : { limit }),
    };
    return jsonResult(await client.events(range, { signal: context.signal }));
  },
});
