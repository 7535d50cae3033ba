/** The tools of agents' sessions, sorted. A new one is a file and a line here. */
import type { AgentTool } from "./_tool.ts";
import { applyPatch } from "./apply_patch.ts";
import { editFile } from "./edit_file.ts";
import { ledgerBalance } from "./ledger_balance.ts";
import { ledgerPay } from "./ledger_pay.ts";
import { readFile } from "./read_file.ts";
import { writeFile } from "./write_file.ts";

export type { AgentTool, AgentToolContext, FileChange, Note, Recovery, ToolNeed } from "./_tool.ts";
export { defineAgentTool } from "./_tool.ts";

/** Every tool of this version; a session is offered those its options give it. */
export const agentTools: readonly AgentTool[] = [
  applyPatch,
  editFile,
  ledgerBalance,
  ledgerPay,
  readFile,
  writeFile,
];
