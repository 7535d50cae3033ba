/**
 * The least that an MCP server can be: lines in, lines out, one tool that asks the node what
 * `sion_status` asks. No packages, no checks, no second client: a floor to be measured against.
 */
import { request } from "node:http";
import process from "node:process";
import { createInterface } from "node:readline";

const node = process.env["SION_NODE"];

function status() {
  return new Promise((resolve, reject) => {
    const asked = request(`${node}/rpc/status`, { method: "POST" }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => text += chunk);
      response.on("end", () => resolve(JSON.parse(text)));
    });
    asked.on("error", reject);
    asked.end("{}");
  });
}

async function answer({ method, params }) {
  switch (method) {
    case "initialize":
      return {
        capabilities: { tools: {} },
        protocolVersion: params.protocolVersion,
        serverInfo: { name: "minimal", version: "1" },
      };
    case "tools/list":
      return {
        tools: [{ name: "status", description: "Status.", inputSchema: { type: "object" } }],
      };
    case "tools/call": {
      const value = await status();
      const text = JSON.stringify(value, null, 2);
      return { content: [{ type: "text", text }], structuredContent: value };
    }
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const result = await answer(message);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
});
