import { join } from "node:path";
import { userHome } from "#internal/runtime/mod.ts";
import { type AiClient, xdgConfig } from "./ai_client.ts";

export const zed: AiClient = {
  name: "zed",
  title: "Zed",
  // It has one folder of this name on both systems.
  file: ({ env, system }) =>
    join(
      system === "darwin" ? join(userHome(env), ".config") : xdgConfig(env),
      "zed",
      "settings.json",
    ),
  format: "json",
  servers: ["context_servers"],
  more: {},
  after: "sees it at once",
};
