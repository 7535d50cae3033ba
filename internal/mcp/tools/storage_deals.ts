/** `sion_storage_deals`: storage deals, or one of them. */
import { SionError } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { decimalUsd, hex64 } from "./_shapes.ts";

/** The most that one call lists, so that one answer stays readable. */
const MAX_DEALS = 500;

const state = z.discriminatedUnion("phase", [
  z.strictObject({ phase: z.literal("open") }),
  z.strictObject({
    ends: z.int(),
    missed: z.int(),
    phase: z.literal("active"),
    proven: z.int(),
    round: z.union([z.int(), z.null()]),
    round_ends: z.union([z.int(), z.null()]),
  }),
  z.strictObject({
    at: z.int(),
    forfeited: decimalUsd,
    missed: z.int(),
    phase: z.literal("closed"),
    proven: z.int(),
    refund: decimalUsd,
  }),
]);

const fields = {
  accept_by: z.int(),
  challenges: z.int(),
  client: hex64,
  collateral: decimalUsd,
  deal: hex64,
  escrow: decimalUsd,
  leaves: z.int(),
  locator: z.union([z.string(), z.null()]),
  price: decimalUsd,
  provider: z.union([hex64, z.null()]),
  root: hex64,
  round_length: z.int(),
  rounds: z.int(),
  state,
};

export const storageDeals = defineTool({
  name: "sion_storage_deals",
  title: "Storage deals",
  description:
    "Storage deals with their terms, state and, once accepted, the provider’s progress " +
    "(rounds proven, the round under way, the end).",
  input: z.strictObject({
    deal: z.optional(z.string().check(z.describe("One deal (id or unique prefix)"))),
    open: z.optional(z.boolean().check(z.describe("Only deals still open for acceptance"))),
  }),
  output: z.union([
    z.strictObject({ deals: z.array(z.strictObject(fields)) }),
    z.strictObject(fields),
  ]),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: false,
  async run(context: LedgerContext, { deal, open }) {
    const client = await context.client();
    const options = { signal: context.signal };
    if (deal !== undefined) return jsonResult(await client.storage.deal(deal, options));
    const deals = await client.storage.deals({ open: open ?? false, ...options });
    if (deals.length > MAX_DEALS) {
      throw new SionError(
        "too-many",
        `there are ${deals.length} deals, over ${MAX_DEALS}: ask for one by its id, or for open ones`,
      );
    }
    return jsonResult({ deals });
  },
});
