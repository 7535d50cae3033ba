/** The ledger's MCP server alone: the smallest program for AI clients to start. */
import process from "node:process";
import { parseArgs } from "node:util";
import { messageOf, SionError } from "#internal/core/mod.ts";
import { ledgerServer, serveStdio } from "#internal/mcp/mod.ts";
import { readEnvironment } from "#internal/runtime/mod.ts";

async function main(): Promise<void> {
  const node = nodeOption();
  const client = { env: readEnvironment(), ...(node === undefined ? {} : { node }) };
  const args: readonly string[] = node === undefined ? [] : ["--node", node];
  await serveStdio(ledgerServer({ client }), { command: ["sion-mcp", ...args] });
}

/** `--node URL` is all that it takes. */
function nodeOption(): string | undefined {
  try {
    return parseArgs({ options: { node: { type: "string" } } }).values.node;
  } catch (cause) {
    throw new SionError(
      "usage",
      "sion-mcp takes --node URL and nothing else: see `sion mcp --help`",
      {
        cause,
      },
    );
  }
}

void main().catch((error: unknown) => {
  process.stderr.write(`error: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
