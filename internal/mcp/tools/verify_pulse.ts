/** `sion_verify_pulse`: a Pulse checked as a light client does. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { chainIdentity } from "./_shapes.ts";

export const verifyPulse = defineTool({
  name: "sion_verify_pulse",
  title: "Verify a Pulse",
  description: "Verify a Pulse as a light client: chain identity, committee certificate, " +
    "receipts, state proof, data-availability sampling, the World Proof and lane certificates. " +
    "Pass the chain identity you trust as chain (64 hex digits); without it the node vouches for " +
    "itself.",
  input: z.strictObject({
    chain: z.optional(chainIdentity),
    pulse: z.optional(
      z.int().check(z.refine((pulse) => pulse >= 1, "must be the number of a Pulse, 1 or above")),
    ),
  }),
  output: z.strictObject({
    pinned: z.boolean(),
    report: z.array(z.string()),
    verified: z.boolean(),
  }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  async run(context: LedgerContext, { chain, pulse }) {
    const client = await context.client();
    const request = {
      ...(chain === undefined ? {} : { chain }),
      ...(pulse === undefined ? {} : { pulse }),
    };
    return jsonResult(await client.verifyPulse(request, { signal: context.signal }));
  },
});
