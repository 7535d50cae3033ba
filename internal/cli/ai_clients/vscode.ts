import { type AiClient, settingsPath } from "./ai_client.ts";

export const vscode: AiClient = {
  name: "vscode",
  title: "VS Code",
  file: (place) => settingsPath(place, "Code", "User", "mcp.json"),
  format: "json",
  servers: ["servers"],
  more: { type: "stdio" },
  after: "asks whether to trust it when it is first started",
};
