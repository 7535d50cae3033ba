import { join } from "node:path";
import { type AiClient, folderOf } from "./ai_client.ts";

export const codex: AiClient = {
  name: "codex",
  title: "Codex",
  file: ({ env }) => join(folderOf(env, "CODEX_HOME", ".codex"), "config.toml"),
  format: "toml",
  servers: ["mcp_servers"],
  more: {},
  after: "sees it in its next session",
};
