import { type AiClient, settingsPath } from "./ai_client.ts";

export const claudeDesktop: AiClient = {
  name: "claude-desktop",
  title: "Claude Desktop",
  file: (place) => settingsPath(place, "Claude", "claude_desktop_config.json"),
  format: "json",
  servers: ["mcpServers"],
  more: {},
  after: "sees it when it is quit and started again",
};
