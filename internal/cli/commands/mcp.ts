import { ledgerServer, serveStdio } from "#internal/mcp/mod.ts";
import { defineCommand } from "../command.ts";
import { mcpEntry } from "./_mcp_entry.ts";

export const command = defineCommand({
  path: "mcp",
  brief:
    "Offer the ledger as tools to an AI client: the Model Context Protocol on standard input " +
    "and output.",
  args: {},
  flags: {},
  examples: [
    ["sion mcp", "what an AI client starts"],
    ["sion mcp install cursor", "add it to an AI client"],
    ["sion mcp --node http://127.0.0.1:8400", "with the ledger of this node"],
  ],
  json: null,
  node: true,
  async run(context) {
    const { onNote: _note, onWait: _wait, ...client } = context.clientOptions;
    const { words, env } = mcpEntry(context);
    await serveStdio(ledgerServer({ client }), { command: ["sion", ...words], env });
  },
});
