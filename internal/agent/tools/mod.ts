/** The tools of agents' sessions, sorted. A new one is a file and a line here. */
import type { AgentTool } from "./_tool.ts";
import { applyPatch } from "./apply_patch.ts";
import { askReader } from "./ask_reader.ts";
import { diagnostics } from "./diagnostics.ts";
import { editFile } from "./edit_file.ts";
import { fetchUrl } from "./fetch_url.ts";
import { findFiles } from "./find_files.ts";
import { imageGenerate } from "./image_generate.ts";
import { ledgerAssessClaim } from "./ledger_assess_claim.ts";
import { ledgerBalance } from "./ledger_balance.ts";
import { ledgerEvents } from "./ledger_events.ts";
import { ledgerFetchPaid } from "./ledger_fetch_paid.ts";
import { ledgerMemoryCommit } from "./ledger_memory_commit.ts";
import { ledgerMemoryList } from "./ledger_memory_list.ts";
import { ledgerMemoryOpen } from "./ledger_memory_open.ts";
import { ledgerMemoryRecall } from "./ledger_memory_recall.ts";
import { ledgerMemoryRemember } from "./ledger_memory_remember.ts";
import { ledgerPay } from "./ledger_pay.ts";
import { ledgerTaskAttest } from "./ledger_task_attest.ts";
import { ledgerTaskList } from "./ledger_task_list.ts";
import { ledgerTaskPost } from "./ledger_task_post.ts";
import { ledgerTaskRefund } from "./ledger_task_refund.ts";
import { ledgerTaskSettle } from "./ledger_task_settle.ts";
import { ledgerTaskShow } from "./ledger_task_show.ts";
import { ledgerTaskSubmit } from "./ledger_task_submit.ts";
import { readFile } from "./read_file.ts";
import { runCode } from "./run_code.ts";
import { runTests } from "./run_tests.ts";
import { searchFiles } from "./search_files.ts";
import { shareFile } from "./share_file.ts";
import { shell } from "./shell.ts";
import { shellJob } from "./shell_job.ts";
import { skillRead } from "./skill_read.ts";
import { skillRun } from "./skill_run.ts";
import { skillWrite } from "./skill_write.ts";
import { webSearch } from "./web_search.ts";
import { writeFile } from "./write_file.ts";

export type { AgentTool, AgentToolContext, FileChange, Note, Recovery, ToolNeed } from "./_tool.ts";
export { defineAgentTool, ForeseenFailure, inputSchemaOf } from "./_tool.ts";

/** Every tool of this version; a session is offered those its options give it. */
export const agentTools: readonly AgentTool[] = [
  applyPatch,
  askReader,
  diagnostics,
  editFile,
  fetchUrl,
  findFiles,
  imageGenerate,
  ledgerAssessClaim,
  ledgerBalance,
  ledgerEvents,
  ledgerFetchPaid,
  ledgerMemoryCommit,
  ledgerMemoryList,
  ledgerMemoryOpen,
  ledgerMemoryRecall,
  ledgerMemoryRemember,
  ledgerPay,
  ledgerTaskAttest,
  ledgerTaskList,
  ledgerTaskPost,
  ledgerTaskRefund,
  ledgerTaskSettle,
  ledgerTaskShow,
  ledgerTaskSubmit,
  readFile,
  runCode,
  runTests,
  searchFiles,
  shareFile,
  shell,
  shellJob,
  skillRead,
  skillRun,
  skillWrite,
  webSearch,
  writeFile,
];
