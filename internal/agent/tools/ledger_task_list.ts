/** Tasks of the ledger, newest first. */
import * as z from "zod";
import { TASK_STATES } from "#internal/core/mod.ts";
import { looked } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

/** As many as one answer stays readable with. */
const MAX_TASKS = 50;

export const ledgerTaskList = defineAgentTool({
  name: "ledger_task_list",
  title: "List tasks",
  description:
    `Tasks of the ledger, newest first, at most ${MAX_TASKS}, and how many there are in all.`,
  input: () =>
    z.strictObject({
      as: z.enum(["poster", "worker"]).describe("Only those you posted, or that are for you")
        .optional(),
      state: z.enum(TASK_STATES).describe("Only those in it").optional(),
    }),
  needs: ["tasks"],
  highestEffect: "read",
  // Labels in them are their posters' words.
  outside: (result) => result.ok ? "the ledger's tasks" : undefined,
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  run: ({ ledger, signal }, { as, state }) =>
    looked(async () => {
      const found = (await ledger.tasks.list(as, { signal }))
        .filter((task) => state === undefined || task.state === state)
        .toSorted((a, b) => b.posted - a.posted);
      return { tasks: found.slice(0, MAX_TASKS), total: found.length };
    }),
});
