/** Applies the decision rule to a claim, before anything is built on it. */
import * as z from "zod";
import { parseFactor, parseUsd } from "#internal/core/mod.ts";
import { idOf, looked, MAX_IDS, safetyFactor, usd } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

export const ledgerAssessClaim = defineAgentTool({
  name: "ledger_assess_claim",
  title: "Assess a claim",
  description:
    "Before you rely on a claim of the ledger: what it costs to corrupt it, and whether " +
    "that is enough for what you would lose. The answer is accept or reject, with reasons.",
  input: () =>
    z.strictObject({
      claim: idOf("Claim id"),
      distrust: z.array(z.string().min(1).max(64)).max(MAX_IDS)
        .describe("Atom ids to treat as worthless").optional(),
      kappa: safetyFactor.optional(),
      value: usd("USD that you lose if the claim is false"),
    }),
  highestEffect: "read",
  // What a claim states was written by whoever issued it.
  outside: (result, { claim }) => result.ok ? `claim ${claim.slice(0, 8)}` : undefined,
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "claim",
  fromPrograms: true,
  run: ({ ledger, signal }, { claim, distrust, kappa, value }) =>
    looked(() =>
      ledger.assess({
        claim,
        value: parseUsd(value),
        ...(kappa === undefined ? {} : { kappa: parseFactor(kappa) }),
        ...(distrust === undefined ? {} : { distrust }),
      }, { signal })
    ),
});
