/** `sion_task_settle`: payment for a result that passes the rule of its task. */
import * as z from "zod/mini";
import { defineTool } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { signed, signedResult, taskId } from "./_shapes.ts";

export const taskSettle = defineTool({
  name: "sion_task_settle",
  title: "Settle a task",
  description: "Settle a task with your result claim and its attestations (claim ids, in the " +
    "order the result lists them). The ledger pays only if the result passes the " +
    "rule fixed when the task was posted, and only once.",
  input: z.strictObject({
    attestations: z.optional(z.array(z.string())),
    result: z.string().check(z.describe("Result claim id (hex)")),
    task: taskId,
    wallet: z.string(),
  }),
  output: signedResult,
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: false,
  async run(context: LedgerContext, given) {
    const client = await context.client();
    return signed(await client.tasks.settle({ ...given, ...signOptions(context) }));
  },
});
