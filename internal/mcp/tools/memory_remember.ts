/** `sion_memory_remember`: an atom in a log's file on this machine; the ledger hears of it at a commit. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { hex64, memoryLog } from "./_shapes.ts";

export const memoryRemember = defineTool({
  name: "sion_memory_remember",
  title: "Remember an atom",
  description: "Record a memory atom in a log’s local store: a statement (subject, predicate, " +
    "value) with when it held and, for robots, where (a box in a frame, in millimetres). It reaches " +
    "the ledger’s commitment at the next sion_memory_commit.",
  input: z.strictObject({
    at: z.optional(z.array(z.int()).check(z.describe("Its place: x, y, z in millimetres"))),
    confidence_permille: z.optional(
      z.int().check(z.describe("Confidence in thousandths (default 1000)")),
    ),
    frame: z.optional(
      z.string().check(z.describe("The frame its place is in, for example warehouse-3")),
    ),
    from_s: z.optional(
      z.int().check(
        z.describe("When it began to hold, seconds since the Unix epoch (default now)"),
      ),
    ),
    kind: z.optional(
      z.string().check(
        z.describe(
          "observation (default), coverage, world-state, semantic, episodic, procedural, preference, " +
            "goal, plan, …",
        ),
      ),
    ),
    log: memoryLog,
    predicate: z.string(),
    seconds: z.optional(z.int().check(z.describe("For how long it held (default open-ended)"))),
    size: z.optional(
      z.array(z.int()).check(z.describe("Half the size of its box: dx, dy, dz in millimetres")),
    ),
    subject: z.string(),
    value: z.string().check(z.describe("true/false, an integer, @name for an entity, or text")),
    wallet: z.string(),
  }),
  output: z.strictObject({
    id: hex64,
    log: hex64,
    seq: z.int(),
    size: z.int(),
    uncommitted: z.int(),
  }),
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "log",
  fromPrograms: true,
  async run(context: LedgerContext, given) {
    const client = await context.client();
    return jsonResult(await client.memory.remember({ ...given, signal: context.signal }));
  },
});
