/** All commands. A new one is its file and its line here; nothing loads before it is needed. */
import type { AnyCommand } from "../command.ts";

/** A command that loads when it is run or described. */
export interface CommandEntry {
  /** As in the command itself. */
  readonly path: string;
  readonly load: () => Promise<{ readonly command: AnyCommand }>;
}

/** In alphabetical order of their paths. */
export const commandEntries: readonly CommandEntry[] = [
  { path: "agent budget list", load: () => import("./agent_budget_list.ts") },
  { path: "agent budget remove", load: () => import("./agent_budget_remove.ts") },
  { path: "agent budget set", load: () => import("./agent_budget_set.ts") },
  { path: "agent continue", load: () => import("./agent_continue.ts") },
  { path: "agent create", load: () => import("./agent_create.ts") },
  { path: "agent credential add", load: () => import("./agent_credential_add.ts") },
  { path: "agent credential list", load: () => import("./agent_credential_list.ts") },
  { path: "agent credential remove", load: () => import("./agent_credential_remove.ts") },
  { path: "agent doctor", load: () => import("./agent_doctor.ts") },
  { path: "agent fork", load: () => import("./agent_fork.ts") },
  { path: "agent hooks add", load: () => import("./agent_hooks_add.ts") },
  { path: "agent hooks list", load: () => import("./agent_hooks_list.ts") },
  { path: "agent hooks remove", load: () => import("./agent_hooks_remove.ts") },
  { path: "agent list", load: () => import("./agent_list.ts") },
  { path: "agent profile add", load: () => import("./agent_profile_add.ts") },
  { path: "agent profile list", load: () => import("./agent_profile_list.ts") },
  { path: "agent profile remove", load: () => import("./agent_profile_remove.ts") },
  { path: "agent profile set", load: () => import("./agent_profile_set.ts") },
  { path: "agent profile show", load: () => import("./agent_profile_show.ts") },
  { path: "agent profile token add", load: () => import("./agent_profile_token_add.ts") },
  { path: "agent profile token list", load: () => import("./agent_profile_token_list.ts") },
  { path: "agent profile token remove", load: () => import("./agent_profile_token_remove.ts") },
  { path: "agent resume", load: () => import("./agent_resume.ts") },
  { path: "agent revoke", load: () => import("./agent_revoke.ts") },
  { path: "agent run", load: () => import("./agent_run.ts") },
  { path: "agent sessions", load: () => import("./agent_sessions.ts") },
  { path: "agent show", load: () => import("./agent_show.ts") },
  { path: "agent spawn", load: () => import("./agent_spawn.ts") },
  { path: "agent suspend", load: () => import("./agent_suspend.ts") },
  { path: "agent talk", load: () => import("./agent_talk.ts") },
  { path: "agent trace", load: () => import("./agent_trace.ts") },
  { path: "balance", load: () => import("./balance.ts") },
  { path: "bond add", load: () => import("./bond_add.ts") },
  { path: "bond post", load: () => import("./bond_post.ts") },
  { path: "bond release", load: () => import("./bond_release.ts") },
  { path: "bond show", load: () => import("./bond_show.ts") },
  { path: "charter allot", load: () => import("./charter_allot.ts") },
  { path: "charter create", load: () => import("./charter_create.ts") },
  { path: "charter list", load: () => import("./charter_list.ts") },
  { path: "charter narrow", load: () => import("./charter_narrow.ts") },
  { path: "charter pay", load: () => import("./charter_pay.ts") },
  { path: "charter reclaim", load: () => import("./charter_reclaim.ts") },
  { path: "charter revoke", load: () => import("./charter_revoke.ts") },
  { path: "charter show", load: () => import("./charter_show.ts") },
  { path: "claim assess", load: () => import("./claim_assess.ts") },
  { path: "claim dispute", load: () => import("./claim_dispute.ts") },
  { path: "claim issue", load: () => import("./claim_issue.ts") },
  { path: "claim judge", load: () => import("./claim_judge.ts") },
  { path: "claim list", load: () => import("./claim_list.ts") },
  { path: "claim reserve", load: () => import("./claim_reserve.ts") },
  { path: "claim revoke", load: () => import("./claim_revoke.ts") },
  { path: "claim show", load: () => import("./claim_show.ts") },
  { path: "completion", load: () => import("./completion.ts") },
  { path: "devnet", load: () => import("./devnet.ts") },
  { path: "doctor", load: () => import("./doctor.ts") },
  { path: "events", load: () => import("./events.ts") },
  { path: "explore", load: () => import("./explore.ts") },
  { path: "faucet", load: () => import("./faucet.ts") },
  { path: "fetch", load: () => import("./fetch.ts") },
  { path: "gateway", load: () => import("./gateway.ts") },
  { path: "genesis key", load: () => import("./genesis_key.ts") },
  { path: "genesis new", load: () => import("./genesis_new.ts") },
  { path: "light", load: () => import("./light.ts") },
  { path: "mcp", load: () => import("./mcp.ts") },
  { path: "mcp install", load: () => import("./mcp_install.ts") },
  { path: "memory commit", load: () => import("./memory_commit.ts") },
  { path: "memory list", load: () => import("./memory_list.ts") },
  { path: "memory open", load: () => import("./memory_open.ts") },
  { path: "memory recall", load: () => import("./memory_recall.ts") },
  { path: "memory remember", load: () => import("./memory_remember.ts") },
  { path: "memory verify", load: () => import("./memory_verify.ts") },
  { path: "node", load: () => import("./node.ts") },
  { path: "pay", load: () => import("./pay.ts") },
  { path: "receipt", load: () => import("./receipt.ts") },
  { path: "skill assess", load: () => import("./skill_assess.ts") },
  { path: "skill install", load: () => import("./skill_install.ts") },
  { path: "skill list", load: () => import("./skill_list.ts") },
  { path: "skill pack", load: () => import("./skill_pack.ts") },
  { path: "skill publish", load: () => import("./skill_publish.ts") },
  { path: "skill remove", load: () => import("./skill_remove.ts") },
  { path: "skill review", load: () => import("./skill_review.ts") },
  { path: "stake claim", load: () => import("./stake_claim.ts") },
  { path: "stake commission", load: () => import("./stake_commission.ts") },
  { path: "stake delegate", load: () => import("./stake_delegate.ts") },
  { path: "stake leave", load: () => import("./stake_leave.ts") },
  { path: "stake pools", load: () => import("./stake_pools.ts") },
  { path: "stake register", load: () => import("./stake_register.ts") },
  { path: "stake report", load: () => import("./stake_report.ts") },
  { path: "stake show", load: () => import("./stake_show.ts") },
  { path: "stake undelegate", load: () => import("./stake_undelegate.ts") },
  { path: "stake withdraw", load: () => import("./stake_withdraw.ts") },
  { path: "status", load: () => import("./status.ts") },
  { path: "storage accept", load: () => import("./storage_accept.ts") },
  { path: "storage close", load: () => import("./storage_close.ts") },
  { path: "storage deals", load: () => import("./storage_deals.ts") },
  { path: "storage fetch", load: () => import("./storage_fetch.ts") },
  { path: "storage post", load: () => import("./storage_post.ts") },
  { path: "storage prove", load: () => import("./storage_prove.ts") },
  { path: "storage provide", load: () => import("./storage_provide.ts") },
  { path: "storage show", load: () => import("./storage_show.ts") },
  { path: "submit", load: () => import("./submit.ts") },
  { path: "task attest", load: () => import("./task_attest.ts") },
  { path: "task list", load: () => import("./task_list.ts") },
  { path: "task post", load: () => import("./task_post.ts") },
  { path: "task refund", load: () => import("./task_refund.ts") },
  { path: "task settle", load: () => import("./task_settle.ts") },
  { path: "task show", load: () => import("./task_show.ts") },
  { path: "task submit", load: () => import("./task_submit.ts") },
  { path: "validator rotate-key", load: () => import("./validator_rotate-key.ts") },
  { path: "verify", load: () => import("./verify.ts") },
  { path: "wallet import", load: () => import("./wallet_import.ts") },
  { path: "wallet list", load: () => import("./wallet_list.ts") },
  { path: "wallet new", load: () => import("./wallet_new.ts") },
  { path: "wallet show", load: () => import("./wallet_show.ts") },
  { path: "x402 serve", load: () => import("./x402_serve.ts") },
];

/** The paths of all commands. */
export const commandPaths: readonly string[] = commandEntries.map(({ path }) => path);

/** A command by its path. @throws {TypeError} when there is none */
export async function loadCommand(path: string): Promise<AnyCommand> {
  const entry = commandEntries.find((known) => known.path === path);
  if (entry === undefined) throw new TypeError(`There is no command ${path}`);
  return (await entry.load()).command;
}

/** All commands, in the order of the registry. */
export function loadCommands(): Promise<AnyCommand[]> {
  return Promise.all(commandPaths.map(loadCommand));
}
