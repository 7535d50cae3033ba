/** A worker's result, resting on exactly what its task requires. */
import * as z from "zod";
import { utf8 } from "#internal/core/mod.ts";
import type { Outcome } from "#internal/client/mod.ts";
import {
  idOf,
  MAX_IDS,
  MAX_OUTPUT_LENGTH,
  outcomeResult,
  recoverSigned,
  signed,
} from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

const submitted = (outcome: Outcome) => outcomeResult(outcome, "Result claim");

export const ledgerTaskSubmit = defineAgentTool({
  name: "ledger_task_submit",
  title: "Hand a result in",
  description: "Hand a result in for a task, over the attestations given. You need a bond " +
    "task-worker, however small.",
  input: () =>
    z.strictObject({
      attestations: z.array(idOf()).max(MAX_IDS).describe("Claim ids, in order").optional(),
      output: z.string().max(MAX_OUTPUT_LENGTH).describe(
        "The output; its hash is kept on the ledger",
      ),
      task: idOf("Task id"),
    }),
  needs: ["tasks"],
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: false,
  run(context, { attestations, output, task }) {
    const given = { task, output: utf8(output.toWellFormed()), attestations };
    return signed(context, (acting) => context.ledger.tasks.submit(given, acting), submitted);
  },
  recover: (context, _input, notes) => recoverSigned(context, notes, submitted),
});
