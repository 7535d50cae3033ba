/** `sion_task_attest`: a verifier's word that an output passes. */
import { utf8 } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { issued, issuedResult, taskId, taskOutput } from "./_shapes.ts";

export const taskAttest = defineTool({
  name: "sion_task_attest",
  title: "Attest an output",
  description: "Attest, as a verifier the task names, that an output passes: issues an " +
    "attestation claim resting on the verifier’s bond bond:<verifier>:verifier (or " +
    "bond_label).",
  input: z.strictObject({
    bond_label: z.optional(z.string()),
    output: taskOutput,
    task: taskId,
    wallet: z.string(),
  }),
  output: issuedResult,
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: false,
  async run(context: LedgerContext, { bond_label, output, task, wallet }) {
    const client = await context.client();
    return issued(
      await client.tasks.attest({
        wallet,
        task,
        output: utf8(output),
        bondLabel: bond_label,
        ...signOptions(context),
      }),
    );
  },
});
