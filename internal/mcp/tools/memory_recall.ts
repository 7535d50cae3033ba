/** `sion_memory_recall`: all that a log had recorded in a box, checked to be complete. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { hex64, integer, memoryLog } from "./_shapes.ts";

export const memoryRecall = defineTool({
  name: "sion_memory_recall",
  title: "Recall from a memory log",
  description:
    "Everything a memory log had recorded in a box of a frame during an interval, as of " +
    "its committed head, with a proof of completeness checked against the index root the ledger " +
    "holds (an empty answer is proved too).",
  input: z.strictObject({
    frame: z.string(),
    from_s: z.int().check(z.describe("Interval start, seconds since the Unix epoch")),
    log: memoryLog,
    max: z.array(z.int()).check(z.describe("Upper corner x, y, z in millimetres")),
    min: z.array(z.int()).check(z.describe("Lower corner x, y, z in millimetres")),
    until_s: z.int().check(z.describe("Interval end (exclusive)")),
  }),
  output: z.strictObject({
    as_of: z.strictObject({ index: hex64, pulse: z.int(), size: z.int() }),
    atoms: z.array(z.strictObject({
      confidence_permille: z.int(),
      id: hex64,
      kind: z.string(),
      seq: z.int(),
      statement: z.string(),
      valid_from_s: integer,
      valid_until_s: z.union([integer, z.null()]),
    })),
    log: hex64,
    proof_bytes: z.int(),
    verified: z.string(),
  }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "log",
  fromPrograms: true,
  async run(context: LedgerContext, asked) {
    const client = await context.client();
    const { value } = await client.memory.recall(asked, { signal: context.signal });
    return jsonResult(value);
  },
});
