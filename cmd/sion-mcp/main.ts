/** The ledger's MCP server alone: the smallest program for AI clients to start. */
import process from "node:process";
import { parseArgs } from "node:util";
import { messageOf } from "#internal/core/mod.ts";
import { ledgerServer, serveStdio } from "#internal/mcp/mod.ts";
import { readEnvironment } from "#internal/runtime/mod.ts";

async function main(): Promise<void> {
  const { values: { node } } = parseArgs({ options: { node: { type: "string" } } });
  const client = { env: readEnvironment(), ...(node === undefined ? {} : { node }) };
  const args: readonly string[] = node === undefined ? [] : ["--node", node];
  await serveStdio(ledgerServer({ client }), { command: ["sion-mcp", ...args] });
}

void main().catch((error: unknown) => {
  process.stderr.write(`error: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
