/** `sion_task_settle`: payment for a result that passes the rule of its task. */
import * as z from "zod";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { event, taskId, transactionStatus } from "./_shapes.ts";

export const taskSettle = defineTool({
  name: "sion_task_settle",
  title: "Settle a task",
  description: "Settle a task with your result claim and its attestations (claim ids, in the " +
    "order the result lists them). The ledger pays only if the result passes the " +
    "rule fixed when the task was posted, and only once.",
  input: z.strictObject({
    attestations: z.array(z.string()).optional(),
    result: z.string().describe("Result claim id (hex)"),
    task: taskId,
    wallet: z.string(),
  }),
  output: z.strictObject({
    events: z.array(event),
    pulse: z.int(),
    receipt: z.string(),
    status: transactionStatus,
  }),
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: false,
  async run(context: LedgerContext, given) {
    const client = await context.client();
    const outcome = await client.tasks.settle({ ...given, ...signOptions(context) });
    const { events, pulse, receipt, status } = outcome;
    return jsonResult({ events, pulse, receipt, status });
  },
});
