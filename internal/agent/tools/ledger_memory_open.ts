/** A new memory log of the agent's. */
import * as z from "zod";
import { outcomeResult, recoverSigned, signed } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

const opened = (outcome: Parameters<typeof outcomeResult>[0]) =>
  outcomeResult(outcome, "Memory log");

export const ledgerMemoryOpen = defineAgentTool({
  name: "ledger_memory_open",
  title: "Open a memory log",
  description:
    "Open a memory log of yours on the ledger. You need one only once: list those you have.",
  input: () => z.strictObject({}),
  needs: ["memory"],
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  fromPrograms: false,
  run: (context) => signed(context, (acting) => context.ledger.memory.open(acting), opened),
  recover: (context, _input, notes) => recoverSigned(context, notes, opened),
});
