/** A verifier's word that an output passes. */
import * as z from "zod";
import { utf8 } from "#internal/core/mod.ts";
import type { Outcome } from "#internal/client/mod.ts";
import {
  accountOf,
  idOf,
  MAX_OUTPUT_LENGTH,
  outcomeResult,
  recoverSigned,
  signed,
} from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

const attested = (outcome: Outcome) => outcomeResult(outcome, "Attestation claim");

export const ledgerTaskAttest = defineAgentTool({
  name: "ledger_task_attest",
  title: "Attest an output",
  description:
    "State, as a verifier that the task names, that an output passes. It rests on your " +
    "bond, which is lost if it is found false.",
  input: () =>
    z.strictObject({
      bond_label: z.string().min(1).max(64).describe("Default verifier").optional(),
      output: z.string().max(MAX_OUTPUT_LENGTH).describe(
        "What was handed in; its hash is kept on the ledger",
      ),
      task: idOf("Task id"),
      worker: accountOf("Of a bounty: whose result may rest on it").optional(),
    }),
  needs: ["tasks"],
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: false,
  run(context, { bond_label: bondLabel, output, task, worker }) {
    const given = { task, output: utf8(output.toWellFormed()), bondLabel, worker };
    return signed(context, (acting) => context.ledger.tasks.attest(given, acting), attested);
  },
  recover: (context, _input, notes) => recoverSigned(context, notes, attested),
});
