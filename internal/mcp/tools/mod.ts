/**
 * The tools of `sion mcp`, in the order of the reference. A new one is a file and a line here. Each is
 * loaded when it is first called or all are listed: making the schemas of all takes longer than a
 * client likes to wait for its first answer.
 */
import type { LazyTool } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";

export type { LedgerClient, LedgerContext } from "./_context.ts";

/** Every tool. Each is only ever added to, and keeps its name. */
export const ledgerTools: readonly LazyTool<LedgerContext>[] = [
  { name: "sion_status", load: async () => (await import("./status.ts")).status },
  { name: "sion_balance", load: async () => (await import("./balance.ts")).balance },
  { name: "sion_pay", load: async () => (await import("./pay.ts")).pay },
  { name: "sion_issue_claim", load: async () => (await import("./issue_claim.ts")).issueClaim },
  { name: "sion_assess_claim", load: async () => (await import("./assess_claim.ts")).assessClaim },
  { name: "sion_agent_pay", load: async () => (await import("./agent_pay.ts")).agentPay },
  { name: "sion_verify_pulse", load: async () => (await import("./verify_pulse.ts")).verifyPulse },
  { name: "sion_events", load: async () => (await import("./events.ts")).events },
  {
    name: "sion_submit_intent",
    load: async () => (await import("./submit_intent.ts")).submitIntent,
  },
  { name: "sion_fetch_paid", load: async () => (await import("./fetch_paid.ts")).fetchPaid },
  {
    name: "sion_fetch_receipt",
    load: async () => (await import("./fetch_receipt.ts")).fetchReceipt,
  },
  { name: "sion_task_post", load: async () => (await import("./task_post.ts")).taskPost },
  { name: "sion_task_attest", load: async () => (await import("./task_attest.ts")).taskAttest },
  { name: "sion_task_submit", load: async () => (await import("./task_submit.ts")).taskSubmit },
  { name: "sion_task_settle", load: async () => (await import("./task_settle.ts")).taskSettle },
  { name: "sion_task_show", load: async () => (await import("./task_show.ts")).taskShow },
  { name: "sion_memory_open", load: async () => (await import("./memory_open.ts")).memoryOpen },
  {
    name: "sion_memory_remember",
    load: async () => (await import("./memory_remember.ts")).memoryRemember,
  },
  {
    name: "sion_memory_commit",
    load: async () => (await import("./memory_commit.ts")).memoryCommit,
  },
  {
    name: "sion_memory_recall",
    load: async () => (await import("./memory_recall.ts")).memoryRecall,
  },
  {
    name: "sion_stake_pools",
    load: async () => (await import("./stake_pools.ts")).stakePools,
  },
  {
    name: "sion_stake_delegate",
    load: async () => (await import("./stake_delegate.ts")).stakeDelegate,
  },
  {
    name: "sion_stake_show",
    load: async () => (await import("./stake_show.ts")).stakeShow,
  },
  {
    name: "sion_stake_claim",
    load: async () => (await import("./stake_claim.ts")).stakeClaim,
  },
  {
    name: "sion_stake_undelegate",
    load: async () => (await import("./stake_undelegate.ts")).stakeUndelegate,
  },
  {
    name: "sion_stake_withdraw",
    load: async () => (await import("./stake_withdraw.ts")).stakeWithdraw,
  },
  { name: "sion_storage_post", load: async () => (await import("./storage_post.ts")).storagePost },
  {
    name: "sion_storage_deals",
    load: async () => (await import("./storage_deals.ts")).storageDeals,
  },
  {
    name: "sion_storage_close",
    load: async () => (await import("./storage_close.ts")).storageClose,
  },
];
