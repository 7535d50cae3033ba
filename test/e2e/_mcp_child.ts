/**
 * A process that serves the ledger's tools without a node, and two tools of the test's own: one
 * that waits for ever, and one whose answer is larger than a pipe holds.
 */
import process from "node:process";
import {
  defineTool,
  jsonResult,
  type LedgerContext,
  ledgerServer,
  loadLedgerTools,
  serveStdio,
} from "#internal/mcp/mod.ts";
import * as z from "zod";

const plain = { openWorld: false, repeatHarmless: true, fromPrograms: true } as const;

const wait = defineTool({
  ...plain,
  name: "wait",
  description: "Waits until it is cancelled.",
  input: z.strictObject({}),
  highestEffect: "read",
  run: (context: LedgerContext) =>
    new Promise((resolve) => {
      const ticking = setInterval(() => {}, 1000);
      context.signal.addEventListener("abort", () => {
        clearInterval(ticking);
        process.stderr.write("wait was aborted\n");
        resolve(jsonResult({ aborted: true }));
      }, { once: true });
      process.stderr.write("wait started\n");
    }),
});

const large = defineTool({
  ...plain,
  name: "large",
  description: "Gives much.",
  input: z.strictObject({ bytes: z.int() }),
  // What reading gives has a bound of its own.
  highestEffect: "write",
  run: (_context: LedgerContext, { bytes }) =>
    Promise.resolve(jsonResult({ x: "x".repeat(bytes) })),
});

await serveStdio(
  ledgerServer({
    client: { env: {}, node: "http://127.0.0.1:9", home: "/nonexistent" },
    tools: async () => [...await loadLedgerTools(), wait, large],
  }),
  { command: ["sion", "mcp"] },
);
