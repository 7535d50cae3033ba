/** Payment for a result that passes the rule of its task. */
import * as z from "zod";
import { idOf, MAX_IDS, outcomeResult, recoverSigned, signed } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

export const ledgerTaskSettle = defineAgentTool({
  name: "ledger_task_settle",
  title: "Settle a task",
  description:
    "Be paid for your result. The ledger pays only if it passes the task's rule, and once.",
  input: () =>
    z.strictObject({
      attestations: z.array(idOf()).max(MAX_IDS)
        .describe("Default: those that the result lists").optional(),
      result: idOf("Result claim id"),
      task: idOf("Task id"),
    }),
  needs: ["tasks"],
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: false,
  run: (context, given) =>
    signed(context, (acting) => context.ledger.tasks.settle(given, acting), outcomeResult),
  recover: (context, _input, notes) => recoverSigned(context, notes, outcomeResult),
});
