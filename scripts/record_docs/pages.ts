/** The pages of docs/ that are made from the program's data. A new one is its file and its line here. */
import type { Page } from "./_page.ts";
import { agentEventsPage } from "./agent_events.ts";
import { agentToolsPage } from "./agent_tools.ts";
import { chatCommandsPage } from "./chat_commands.ts";
import { cliPage } from "./cli.ts";
import { errorsPage } from "./errors.ts";
import { exitCodesPage } from "./exit_codes.ts";
import { mcpToolsPage } from "./mcp_tools.ts";
import { rpcPage } from "./rpc.ts";
import { threatModelPage } from "./threat_model.ts";

/** Every page, by path. */
export const generatedPages: readonly Page[] = [
  agentEventsPage,
  agentToolsPage,
  chatCommandsPage,
  cliPage,
  errorsPage,
  exitCodesPage,
  mcpToolsPage,
  rpcPage,
  threatModelPage,
];
