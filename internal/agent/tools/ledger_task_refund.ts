/** The escrow of a task that nobody settled, back in the agent's budget. */
import * as z from "zod";
import { idOf, outcomeResult, recoverSigned, signed } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

export const ledgerTaskRefund = defineAgentTool({
  name: "ledger_task_refund",
  title: "Take an escrow back",
  description: "Take back the escrow of a task of yours that nobody settled by its deadline.",
  input: () => z.strictObject({ task: idOf("Task id") }),
  needs: ["tasks"],
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: false,
  run: (context, { task }) =>
    signed(context, (acting) => context.ledger.tasks.refund(task, acting), outcomeResult),
  recover: (context, _input, notes) => recoverSigned(context, notes, outcomeResult),
});
