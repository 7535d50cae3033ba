/** `sion_task_submit`: a worker's result, resting on exactly what its task requires. */
import { utf8 } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { issued, issuedResult, taskId, taskOutput } from "./_shapes.ts";

export const taskSubmit = defineTool({
  name: "sion_task_submit",
  title: "Submit a result",
  description: "Submit a result for a task: issues a result claim with exactly the formula the " +
    "task requires, over the attestations given (claim ids, in order). The worker " +
    "needs a task bond (bond:<worker>:task-worker), however small.",
  input: z.strictObject({
    attestations: z.optional(z.array(z.string())),
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
  async run(context: LedgerContext, { attestations, output, task, wallet }) {
    const client = await context.client();
    return issued(
      await client.tasks.submit({
        wallet,
        task,
        output: utf8(output),
        attestations,
        ...signOptions(context),
      }),
    );
  },
});
