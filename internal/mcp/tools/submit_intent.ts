/** `sion_submit_intent`: a transaction that was built and signed elsewhere. */
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { hex64, transactionStatus } from "./_shapes.ts";

export const submitIntent = defineTool({
  name: "sion_submit_intent",
  title: "Submit a signed transaction",
  description: "Submit a transaction the agent built and signed itself (hex of its canonical " +
    "encoding). Returns what it asks for as a sentence, then waits for its receipt unless wait is " +
    "false.",
  input: z.strictObject({
    tx: z.string().check(z.describe("Hex-encoded signed transaction")),
    wait: z.optional(z.boolean().check(z.describe("Wait for execution (default true)"))),
  }),
  output: z.strictObject({
    digest: hex64,
    intent: z.string(),
    pulse: z.optional(z.int()),
    receipt: z.optional(z.string()),
    status: z.optional(transactionStatus),
  }),
  highestEffect: "spend",
  // One signed transaction executes once, however often it is handed in.
  repeatHarmless: true,
  openWorld: true,
  mainArgument: "tx",
  fromPrograms: false,
  async run(context: LedgerContext, { tx, wait = true }) {
    const client = await context.client();
    const { digest, intent, pulse, receipt, status } = await client.submitHex(tx, {
      wait,
      signal: context.signal,
    });
    return jsonResult({ digest, intent, pulse, receipt, status });
  },
});
