/** An atom in a memory log's file; the ledger hears of it at a commit. */
import * as z from "zod";
import { idOf, looked } from "./_ledger.ts";
import { sourcesKept } from "./_memory.ts";
import { defineAgentTool } from "./_tool.ts";

const MAX_TEXT = 1_024;

const text = (what: string) => z.string().min(1).max(MAX_TEXT).describe(what);
const three = (what: string) => z.array(z.int()).length(3).describe(what);

export const ledgerMemoryRemember = defineAgentTool({
  name: "ledger_memory_remember",
  title: "Remember",
  description:
    "Record a statement in a memory log of yours: subject, predicate, value, when it held, " +
    "and where, in a frame. It is on this machine until you commit the log.",
  input: () =>
    z.strictObject({
      at: three("Its place: x, y, z in mm").optional(),
      confidence_permille: z.int().min(0).max(1000).describe("Default 1000").optional(),
      frame: text("The frame of its place, like warehouse-3").optional(),
      from_s: z.int().describe("When it began to hold, Unix seconds, default now").optional(),
      kind: text("Like observation (default), episodic, preference, goal, plan").optional(),
      log: idOf("Memory log"),
      predicate: text("What is said of it"),
      seconds: z.int().min(1).describe("For how long it held, default without end").optional(),
      size: three("Half its box: dx, dy, dz in mm").optional(),
      subject: text("Whom or what it is about"),
      value: text("true, false, an integer, @name of an entity, or text"),
    }),
  needs: ["memory"],
  highestEffect: "write",
  // The same seen again is another atom, and is meant.
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "log",
  fromPrograms: false,
  run: ({ ledger, signal, outside: sources }, atom) => {
    const outside = sourcesKept(sources);
    const marked = { ...atom, ...(outside === undefined ? {} : { outside }) };
    return looked(() => ledger.memory.remember(marked, { signal }));
  },
});
