import { join } from "node:path";
import { userHome } from "#internal/runtime/mod.ts";
import type { AiClient } from "./ai_client.ts";

export const claudeCode: AiClient = {
  name: "claude-code",
  title: "Claude Code",
  file: ({ env }) => join(env["CLAUDE_CONFIG_DIR"] || userHome(env), ".claude.json"),
  format: "json",
  servers: ["mcpServers"],
  more: { type: "stdio" },
  after: "sees it in its next session, in every folder",
};
