/** `sion_memory_commit`: moves the ledger's head of a log to what its file holds. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { memoryLog, transactionStatus } from "./_shapes.ts";

export const memoryCommit = defineTool({
  name: "sion_memory_commit",
  title: "Commit a memory log",
  description: "Commit a memory log’s local head to the ledger with a proof that it extends the " +
    "committed one. The Pulse it executes in becomes the transaction time of the atoms it adds.",
  input: z.strictObject({
    log: memoryLog,
    seal: z.optional(z.boolean().check(z.describe("Close the log for good"))),
    wallet: z.string(),
  }),
  output: z.strictObject({
    pulse: z.int(),
    receipt: z.string(),
    status: transactionStatus,
  }),
  highestEffect: "write",
  // A log that is sealed is closed for good.
  irreversible: true,
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "log",
  fromPrograms: false,
  async run(context: LedgerContext, { log, seal = false, wallet }) {
    const client = await context.client();
    const { pulse, receipt, status } = await client.memory.commit({
      log,
      seal,
      wallet,
      ...signOptions(context),
    });
    return jsonResult({ pulse, receipt, status });
  },
});
