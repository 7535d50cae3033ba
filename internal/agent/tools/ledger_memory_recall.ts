/** All that a memory log had recorded in a box, checked to be complete. */
import * as z from "zod";
import { idOf, looked } from "./_ledger.ts";
import { fromOutside, recalledSource } from "./_memory.ts";
import { defineAgentTool } from "./_tool.ts";

const corner = (what: string) => z.array(z.int()).length(3).describe(what);

export const ledgerMemoryRecall = defineAgentTool({
  name: "ledger_memory_recall",
  title: "Recall",
  description: "Everything that a memory log of yours had recorded in a box of a frame during an " +
    "interval, as committed, proven complete; an empty answer too.",
  input: () =>
    z.strictObject({
      frame: z.string().min(1).max(1_024).describe("The frame"),
      from_s: z.int().describe("Start, Unix seconds"),
      log: idOf("Memory log"),
      max: corner("Upper corner x, y, z in mm"),
      min: corner("Lower corner x, y, z in mm"),
      until_s: z.int().describe("End, not included"),
    }),
  needs: ["memory"],
  highestEffect: "read",
  outside: recalledSource,
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "log",
  fromPrograms: true,
  run: ({ ledger, signal }, asked) =>
    looked(async () => {
      const { value, outside } = await ledger.memory.recall(asked, { signal });
      return { ...value, ...fromOutside(outside) };
    }),
});
