import { join } from "node:path";
import { userHome } from "#internal/runtime/mod.ts";
import type { AiClient } from "./ai_client.ts";

export const cursor: AiClient = {
  name: "cursor",
  title: "Cursor",
  file: ({ env }) => join(userHome(env), ".cursor", "mcp.json"),
  format: "json",
  servers: ["mcpServers"],
  more: {},
  after: "asks whether to switch it on, in its settings",
};
