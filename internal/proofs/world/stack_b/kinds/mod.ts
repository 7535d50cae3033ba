/** All transaction kinds of version 1.0, by tag. */
import type { Kind } from "../kind.ts";
import { agentPay } from "./agent_pay.ts";
import { agentRegister } from "./agent_register.ts";
import { agentResume } from "./agent_resume.ts";
import { agentRevoke } from "./agent_revoke.ts";
import { agentSuspend } from "./agent_suspend.ts";
import { allotmentFund } from "./allotment_fund.ts";
import { allotmentReclaim } from "./allotment_reclaim.ts";
import { bondPost } from "./bond_post.ts";
import { bondRelease } from "./bond_release.ts";
import { bondReserve } from "./bond_reserve.ts";
import { bondTopUp } from "./bond_top_up.ts";
import { charterCreate } from "./charter_create.ts";
import { charterNarrow } from "./charter_narrow.ts";
import { charterRevoke } from "./charter_revoke.ts";
import { claimAdjudicate } from "./claim_adjudicate.ts";
import { claimDispute } from "./claim_dispute.ts";
import { claimIssue } from "./claim_issue.ts";
import { claimRevoke } from "./claim_revoke.ts";
import { evidence } from "./evidence.ts";
import { faucet } from "./faucet.ts";
import { memoryCommit } from "./memory_commit.ts";
import { memoryOpen } from "./memory_open.ts";
import { pay } from "./pay.ts";
import { payMemo } from "./pay_memo.ts";
import { rotateKey } from "./rotate_key.ts";
import { spawnAgents } from "./spawn_agents.ts";
import { stakeClaim } from "./stake_claim.ts";
import { stakeCommission } from "./stake_commission.ts";
import { stakeDelegate } from "./stake_delegate.ts";
import { stakeLeave } from "./stake_leave.ts";
import { stakeRegister } from "./stake_register.ts";
import { stakeUndelegate } from "./stake_undelegate.ts";
import { stakeWithdraw } from "./stake_withdraw.ts";
import { storageAccept } from "./storage_accept.ts";
import { storageClose } from "./storage_close.ts";
import { storagePost } from "./storage_post.ts";
import { storageProve } from "./storage_prove.ts";
import { taskPost } from "./task_post.ts";
import { taskRefund } from "./task_refund.ts";
import { taskSettle } from "./task_settle.ts";

/** One line a kind. */
const KINDS: readonly Kind[] = [
  pay,
  faucet,
  payMemo,
  agentRegister,
  agentSuspend,
  agentResume,
  agentRevoke,
  spawnAgents,
  charterCreate,
  charterNarrow,
  charterRevoke,
  allotmentFund,
  allotmentReclaim,
  agentPay,
  rotateKey,
  bondPost,
  bondTopUp,
  bondRelease,
  bondReserve,
  claimIssue,
  claimRevoke,
  claimDispute,
  claimAdjudicate,
  taskPost,
  taskSettle,
  taskRefund,
  storagePost,
  storageAccept,
  storageProve,
  storageClose,
  memoryOpen,
  memoryCommit,
  stakeRegister,
  stakeCommission,
  stakeLeave,
  stakeDelegate,
  stakeClaim,
  stakeUndelegate,
  stakeWithdraw,
  evidence,
];

/** The kind with a wire tag, if there is one. */
export function kindOfTag(tag: number): Kind | undefined {
  return KINDS.find((kind) => kind.tag === tag);
}
