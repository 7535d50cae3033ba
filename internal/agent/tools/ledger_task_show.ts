/** A task, its rule, and how it stands. */
import * as z from "zod";
import { idOf, looked } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

export const ledgerTaskShow = defineAgentTool({
  name: "ledger_task_show",
  title: "Show a task",
  description:
    "A task: poster, worker, escrow, deadline, the rule a result has to pass, its state.",
  input: () => z.strictObject({ task: idOf("Task id") }),
  needs: ["tasks"],
  highestEffect: "read",
  outside: (result, { task }) => result.ok ? `task ${task.slice(0, 8)}` : undefined,
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: true,
  run: ({ ledger, signal }, { task }) => looked(() => ledger.tasks.show(task, { signal })),
});
