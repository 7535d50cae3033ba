/**
 * All commands. A new one is its file and its line here; nothing loads before it is needed. Files are
 * named `as string` because Deno reads all that an `import()` names as a literal before it starts.
 */
import type { AnyCommand } from "../command.ts";

/** A command that loads when it is run or described. */
export interface CommandEntry {
  /** As in the command itself. */
  readonly path: string;
  readonly load: () => Promise<{ readonly command: AnyCommand }>;
}

/** In alphabetical order of their paths. */
export const commandEntries: readonly CommandEntry[] = [
  { path: "agent budget list", load: () => import("./agent_budget_list.ts" as string) },
  { path: "agent budget remove", load: () => import("./agent_budget_remove.ts" as string) },
  { path: "agent budget set", load: () => import("./agent_budget_set.ts" as string) },
  { path: "agent continue", load: () => import("./agent_continue.ts" as string) },
  { path: "agent create", load: () => import("./agent_create.ts" as string) },
  { path: "agent credential add", load: () => import("./agent_credential_add.ts" as string) },
  { path: "agent credential list", load: () => import("./agent_credential_list.ts" as string) },
  { path: "agent credential remove", load: () => import("./agent_credential_remove.ts" as string) },
  { path: "agent doctor", load: () => import("./agent_doctor.ts" as string) },
  { path: "agent fork", load: () => import("./agent_fork.ts" as string) },
  { path: "agent hooks add", load: () => import("./agent_hooks_add.ts" as string) },
  { path: "agent hooks list", load: () => import("./agent_hooks_list.ts" as string) },
  { path: "agent hooks remove", load: () => import("./agent_hooks_remove.ts" as string) },
  { path: "agent list", load: () => import("./agent_list.ts" as string) },
  { path: "agent profile add", load: () => import("./agent_profile_add.ts" as string) },
  { path: "agent profile list", load: () => import("./agent_profile_list.ts" as string) },
  { path: "agent profile remove", load: () => import("./agent_profile_remove.ts" as string) },
  { path: "agent profile set", load: () => import("./agent_profile_set.ts" as string) },
  { path: "agent profile show", load: () => import("./agent_profile_show.ts" as string) },
  { path: "agent profile token add", load: () => import("./agent_profile_token_add.ts" as string) },
  {
    path: "agent profile token list",
    load: () => import("./agent_profile_token_list.ts" as string),
  },
  {
    path: "agent profile token remove",
    load: () => import("./agent_profile_token_remove.ts" as string),
  },
  { path: "agent resume", load: () => import("./agent_resume.ts" as string) },
  { path: "agent revoke", load: () => import("./agent_revoke.ts" as string) },
  { path: "agent run", load: () => import("./agent_run.ts" as string) },
  { path: "agent sessions", load: () => import("./agent_sessions.ts" as string) },
  { path: "agent show", load: () => import("./agent_show.ts" as string) },
  { path: "agent spawn", load: () => import("./agent_spawn.ts" as string) },
  { path: "agent suspend", load: () => import("./agent_suspend.ts" as string) },
  { path: "agent talk", load: () => import("./agent_talk.ts" as string) },
  { path: "agent trace", load: () => import("./agent_trace.ts" as string) },
  { path: "balance", load: () => import("./balance.ts" as string) },
  { path: "bond add", load: () => import("./bond_add.ts" as string) },
  { path: "bond post", load: () => import("./bond_post.ts" as string) },
  { path: "bond release", load: () => import("./bond_release.ts" as string) },
  { path: "bond show", load: () => import("./bond_show.ts" as string) },
  { path: "charter allot", load: () => import("./charter_allot.ts" as string) },
  { path: "charter create", load: () => import("./charter_create.ts" as string) },
  { path: "charter list", load: () => import("./charter_list.ts" as string) },
  { path: "charter narrow", load: () => import("./charter_narrow.ts" as string) },
  { path: "charter pay", load: () => import("./charter_pay.ts" as string) },
  { path: "charter reclaim", load: () => import("./charter_reclaim.ts" as string) },
  { path: "charter revoke", load: () => import("./charter_revoke.ts" as string) },
  { path: "charter show", load: () => import("./charter_show.ts" as string) },
  { path: "claim assess", load: () => import("./claim_assess.ts" as string) },
  { path: "claim dispute", load: () => import("./claim_dispute.ts" as string) },
  { path: "claim issue", load: () => import("./claim_issue.ts" as string) },
  { path: "claim judge", load: () => import("./claim_judge.ts" as string) },
  { path: "claim list", load: () => import("./claim_list.ts" as string) },
  { path: "claim reserve", load: () => import("./claim_reserve.ts" as string) },
  { path: "claim revoke", load: () => import("./claim_revoke.ts" as string) },
  { path: "claim show", load: () => import("./claim_show.ts" as string) },
  { path: "completion", load: () => import("./completion.ts" as string) },
  { path: "devnet", load: () => import("./devnet.ts" as string) },
  { path: "doctor", load: () => import("./doctor.ts" as string) },
  { path: "events", load: () => import("./events.ts" as string) },
  { path: "explore", load: () => import("./explore.ts" as string) },
  { path: "faucet", load: () => import("./faucet.ts" as string) },
  { path: "fetch", load: () => import("./fetch.ts" as string) },
  { path: "gateway", load: () => import("./gateway.ts" as string) },
  { path: "genesis key", load: () => import("./genesis_key.ts" as string) },
  { path: "genesis new", load: () => import("./genesis_new.ts" as string) },
  { path: "light", load: () => import("./light.ts" as string) },
  { path: "mcp", load: () => import("./mcp.ts" as string) },
  { path: "mcp install", load: () => import("./mcp_install.ts" as string) },
  { path: "memory commit", load: () => import("./memory_commit.ts" as string) },
  { path: "memory list", load: () => import("./memory_list.ts" as string) },
  { path: "memory open", load: () => import("./memory_open.ts" as string) },
  { path: "memory recall", load: () => import("./memory_recall.ts" as string) },
  { path: "memory remember", load: () => import("./memory_remember.ts" as string) },
  { path: "memory verify", load: () => import("./memory_verify.ts" as string) },
  { path: "node", load: () => import("./node.ts" as string) },
  { path: "pay", load: () => import("./pay.ts" as string) },
  { path: "receipt", load: () => import("./receipt.ts" as string) },
  { path: "skill assess", load: () => import("./skill_assess.ts" as string) },
  { path: "skill install", load: () => import("./skill_install.ts" as string) },
  { path: "skill list", load: () => import("./skill_list.ts" as string) },
  { path: "skill pack", load: () => import("./skill_pack.ts" as string) },
  { path: "skill publish", load: () => import("./skill_publish.ts" as string) },
  { path: "skill remove", load: () => import("./skill_remove.ts" as string) },
  { path: "skill review", load: () => import("./skill_review.ts" as string) },
  { path: "stake claim", load: () => import("./stake_claim.ts" as string) },
  { path: "stake commission", load: () => import("./stake_commission.ts" as string) },
  { path: "stake delegate", load: () => import("./stake_delegate.ts" as string) },
  { path: "stake leave", load: () => import("./stake_leave.ts" as string) },
  { path: "stake pools", load: () => import("./stake_pools.ts" as string) },
  { path: "stake register", load: () => import("./stake_register.ts" as string) },
  { path: "stake report", load: () => import("./stake_report.ts" as string) },
  { path: "stake show", load: () => import("./stake_show.ts" as string) },
  { path: "stake undelegate", load: () => import("./stake_undelegate.ts" as string) },
  { path: "stake withdraw", load: () => import("./stake_withdraw.ts" as string) },
  { path: "status", load: () => import("./status.ts" as string) },
  { path: "storage accept", load: () => import("./storage_accept.ts" as string) },
  { path: "storage close", load: () => import("./storage_close.ts" as string) },
  { path: "storage deals", load: () => import("./storage_deals.ts" as string) },
  { path: "storage fetch", load: () => import("./storage_fetch.ts" as string) },
  { path: "storage post", load: () => import("./storage_post.ts" as string) },
  { path: "storage prove", load: () => import("./storage_prove.ts" as string) },
  { path: "storage provide", load: () => import("./storage_provide.ts" as string) },
  { path: "storage show", load: () => import("./storage_show.ts" as string) },
  { path: "submit", load: () => import("./submit.ts" as string) },
  { path: "task attest", load: () => import("./task_attest.ts" as string) },
  { path: "task list", load: () => import("./task_list.ts" as string) },
  { path: "task post", load: () => import("./task_post.ts" as string) },
  { path: "task refund", load: () => import("./task_refund.ts" as string) },
  { path: "task settle", load: () => import("./task_settle.ts" as string) },
  { path: "task show", load: () => import("./task_show.ts" as string) },
  { path: "task submit", load: () => import("./task_submit.ts" as string) },
  { path: "validator rotate-key", load: () => import("./validator_rotate-key.ts" as string) },
  { path: "verify", load: () => import("./verify.ts" as string) },
  { path: "wallet import", load: () => import("./wallet_import.ts" as string) },
  { path: "wallet list", load: () => import("./wallet_list.ts" as string) },
  { path: "wallet new", load: () => import("./wallet_new.ts" as string) },
  { path: "wallet show", load: () => import("./wallet_show.ts" as string) },
  { path: "x402 serve", load: () => import("./x402_serve.ts" as string) },
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
