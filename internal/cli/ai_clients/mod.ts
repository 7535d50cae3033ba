/** AI clients that `sion mcp install` knows, in alphabetical order. A new one is its file and its line here. */
import type { AiClient } from "./ai_client.ts";
import { claudeCode } from "./claude_code.ts";
import { claudeDesktop } from "./claude_desktop.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { vscode } from "./vscode.ts";
import { zed } from "./zed.ts";

export const aiClients: readonly AiClient[] = [
  claudeCode,
  claudeDesktop,
  codex,
  cursor,
  gemini,
  vscode,
  zed,
];
