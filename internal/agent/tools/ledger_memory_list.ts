/** The agent's memory logs on this machine. */
import * as z from "zod";
import { looked } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

export const ledgerMemoryList = defineAgentTool({
  name: "ledger_memory_list",
  title: "List memory logs",
  description: "Your memory logs on this machine: ids, atoms, and how many are not committed yet.",
  input: () => z.strictObject({}),
  needs: ["memory"],
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  run: ({ ledger }) => looked(() => ledger.memory.list()),
});
