/** `sion_memory_open`: a new memory log on the ledger, and its file on this machine. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { hex64, transactionStatus } from "./_shapes.ts";

export const memoryOpen = defineTool({
  name: "sion_memory_open",
  title: "Open a memory log",
  description: "Open a memory log on the ledger: an append-only log of memory atoms kept off the " +
    "ledger, whose head the ledger moves only along proofs that the log grew. With agent, the log " +
    "belongs to that agent identity (the wallet must be its agent) and cannot grow while the agent " +
    "is suspended.",
  input: z.strictObject({
    agent: z.optional(z.string().check(z.describe("Agent identity id (hex)"))),
    wallet: z.string(),
  }),
  output: z.strictObject({
    log: z.optional(hex64),
    pulse: z.int(),
    receipt: z.string(),
    status: transactionStatus,
  }),
  highestEffect: "write",
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "wallet",
  fromPrograms: false,
  async run(context: LedgerContext, { agent, wallet }) {
    const client = await context.client();
    const { made: [log], pulse, receipt, status } = await client.memory.open({
      wallet,
      ...(agent === undefined ? {} : { agent }),
      ...signOptions(context),
    });
    return jsonResult({ ...(log === undefined ? {} : { log }), pulse, receipt, status });
  },
});
