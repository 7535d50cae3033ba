/** The tools of `sion mcp`, in the order of the reference. A new one is a file and a line here. */
import type { Tool } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { agentPay } from "./agent_pay.ts";
import { assessClaim } from "./assess_claim.ts";
import { balance } from "./balance.ts";
import { events } from "./events.ts";
import { fetchReceipt } from "./fetch_receipt.ts";
import { issueClaim } from "./issue_claim.ts";
import { memoryCommit } from "./memory_commit.ts";
import { memoryOpen } from "./memory_open.ts";
import { memoryRecall } from "./memory_recall.ts";
import { memoryRemember } from "./memory_remember.ts";
import { pay } from "./pay.ts";
import { status } from "./status.ts";
import { submitIntent } from "./submit_intent.ts";
import { verifyPulse } from "./verify_pulse.ts";

export type { LedgerClient, LedgerContext } from "./_context.ts";

/** Every tool. Each is only ever added to, and keeps its name. */
export const ledgerTools: readonly Tool<LedgerContext>[] = [
  status,
  balance,
  pay,
  issueClaim,
  assessClaim,
  agentPay,
  verifyPulse,
  events,
  submitIntent,
  fetchReceipt,
  memoryOpen,
  memoryRemember,
  memoryCommit,
  memoryRecall,
];
