/** `sion_task_submit`: a worker's result, resting on exactly what its task requires. */
import { utf8 } from "#internal/core/mod.ts";
import * as z from "zod";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { hex64, taskId, taskOutput, transactionStatus } from "./_shapes.ts";

export const taskSubmit = defineTool({
  name: "sion_task_submit",
  title: "Submit a result",
  description: "Submit a result for a task: issues a result claim with exactly the formula the " +
    "task requires, over the attestations given (claim ids, in order). The worker " +
    "needs a task bond (bond:<worker>:task-worker), however small.",
  input: z.strictObject({
    attestations: z.array(z.string()).optional(),
    output: taskOutput,
    task: taskId,
    wallet: z.string(),
  }),
  output: z.strictObject({
    claim: hex64.optional(),
    pulse: z.int(),
    receipt: z.string(),
    status: transactionStatus,
  }),
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: false,
  async run(context: LedgerContext, { attestations, output, task, wallet }) {
    const client = await context.client();
    const { claim, pulse, receipt, status } = await client.tasks.submit({
      wallet,
      task,
      output: utf8(output),
      attestations,
      ...signOptions(context),
    });
    return jsonResult({ ...(claim === undefined ? {} : { claim }), pulse, receipt, status });
  },
});
