/** `sion_assess_claim`: the decision rule, before anything is built on a claim. */
import { CLAIM_STATUSES, DEFAULT_KAPPA, formatFactor } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { hex64, integer, safetyFactor, usd } from "./_shapes.ts";

/** Micro-USD, or what cannot be bought. */
const cost = z.union([z.literal("Infinite"), z.strictObject({ Finite: integer })]);

export const assessClaim = defineTool({
  name: "sion_assess_claim",
  title: "Assess a claim",
  description: "Before relying on a claim: compute its cost of corruption under a policy and " +
    "apply the decision rule min(δ·CoC, CoC(adjudicator)) ≥ κ·V. Returns accept/reject with " +
    "reasons.",
  input: z.strictObject({
    claim: z.string().check(z.describe("Claim ID (hex)")),
    distrust_atoms: z.optional(
      z.array(z.string()).check(z.describe("Atom IDs to treat as worthless")),
    ),
    kappa: z.optional(
      safetyFactor.check(z.describe(`Safety factor κ (default ${formatFactor(DEFAULT_KAPPA)})`)),
    ),
    value_usd: usd.check(z.describe("What you stand to lose if the claim is false")),
  }),
  output: z.strictObject({
    atoms: z.array(z.strictObject({
      bond: z.nullable(integer),
      cost,
      id: hex64,
      trusted: z.boolean(),
      what: z.string(),
    })),
    claim: z.string(),
    decision: z.strictObject({
      accept: z.boolean(),
      adjudicator_cap: cost,
      coc: z.strictObject({ exact: z.boolean(), high: cost, low: cost }),
      detection_adjusted: cost,
      effective: cost,
      reasons: z.array(z.string()),
      required: integer,
      reservable: cost,
    }),
    status: z.enum(CLAIM_STATUSES),
  }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "claim",
  fromPrograms: true,
  async run(context: LedgerContext, { claim, distrust_atoms, kappa, value_usd: value }) {
    const client = await context.client();
    const question = {
      claim,
      value,
      ...(kappa === undefined ? {} : { kappa }),
      ...(distrust_atoms === undefined ? {} : { distrust: distrust_atoms }),
    };
    return jsonResult(await client.assessClaim(question, { signal: context.signal }));
  },
});
