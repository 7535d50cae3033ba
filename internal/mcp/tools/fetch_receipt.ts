/** `sion_fetch_receipt`: what became of a transaction, proven. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { chainIdentity, event, hex64, integer } from "./_shapes.ts";

export const fetchReceipt = defineTool({
  name: "sion_fetch_receipt",
  title: "Fetch a verified receipt",
  description: "Fetch a transaction’s receipt and verify it as a light client: the chain " +
    "identity, the committee certificate of its Pulse and the receipt’s inclusion proof. Pass " +
    "the chain identity you trust as chain.",
  input: z.strictObject({
    chain: z.optional(chainIdentity),
    digest: z.string().check(z.describe("Transaction digest (hex)")),
  }),
  output: z.strictObject({
    certificate: z.strictObject({ quorum: integer, signed: integer }),
    chain: hex64,
    chain_pinned: z.boolean(),
    digest: hex64,
    events: z.array(event),
    outcome: z.string(),
    pulse: z.int(),
    receipt: z.string(),
    verified: z.boolean(),
  }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "digest",
  fromPrograms: true,
  async run(context: LedgerContext, { chain, digest }) {
    const client = await context.client();
    return jsonResult(
      await client.receipt(digest, {
        ...(chain === undefined ? {} : { chain }),
        signal: context.signal,
      }),
    );
  },
});
