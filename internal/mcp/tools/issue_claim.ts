/** `sion_issue_claim`: a statement on the ledger, with what it rests on. */
import { MAX_CLAIM_PULSES } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { hex64, transactionStatus, wholeNumber } from "./_shapes.ts";

export const issueClaim = defineTool({
  name: "sion_issue_claim",
  title: "Issue a claim",
  description: "Issue a claim (a statement with a trust formula). With bond_label the claim " +
    "rests on the issuer’s bond of that label; otherwise only on the issuer’s dual post-quantum " +
    "signature.",
  input: z.strictObject({
    bond_label: z.optional(z.string()),
    issuer: z.string(),
    schema: z.optional(z.string()),
    subject: z.string(),
    valid_for_pulses: z.optional(wholeNumber(1, Number(MAX_CLAIM_PULSES))),
  }),
  output: z.strictObject({
    claim: z.optional(hex64),
    pulse: z.int(),
    receipt: z.string(),
    status: transactionStatus,
    submitted: z.boolean(),
  }),
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "subject",
  fromPrograms: false,
  async run(context: LedgerContext, { bond_label, issuer, schema, subject, valid_for_pulses }) {
    const client = await context.client();
    const { claim, pulse, receipt, status } = await client.issueClaim({
      issuer,
      subject,
      ...(bond_label === undefined ? {} : { bondLabel: bond_label }),
      ...(schema === undefined ? {} : { schema }),
      ...(valid_for_pulses === undefined ? {} : { holdsForPulses: valid_for_pulses }),
      ...signOptions(context),
    });
    const submitted = status === "Success";
    return jsonResult({ claim, pulse, receipt, status, submitted });
  },
});
