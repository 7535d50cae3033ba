import { join } from "node:path";
import { userHome } from "#internal/runtime/mod.ts";
import type { AiClient } from "./ai_client.ts";

export const gemini: AiClient = {
  name: "gemini",
  title: "Gemini CLI",
  file: ({ env }) => join(userHome(env), ".gemini", "settings.json"),
  format: "json",
  servers: ["mcpServers"],
  more: {},
  after: "sees it in its next session",
};
