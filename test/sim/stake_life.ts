/**
 * Stake of a run: delegated to two validators, weighed at epochs' ends, claimed and unbonded, and asked
 * for by those whose it is not.
 */
import { validatorId } from "#internal/proofs/mod.ts";
import {
  claimEarned,
  claimRewards,
  delegate,
  leave,
  onTwoUnits,
  setCommission,
  showing,
  undelegate,
  withdraw,
  withdrawOwn,
} from "../ledger/_staking.ts";
import { payTo, usd, World } from "../ledger/_world.ts";
import { keyOf, operatorOf } from "./keys.ts";
import type { Send, Steps } from "./life.ts";

/** Delegates and collects. */
const STAKER = "staker";
/** Delegates to another, and asks for what is not its own. */
const RIVAL = "rival-staker";

/** Accounts that only runs with stake begin with: other runs stay what they were. */
export const STAKE_WALLETS = [STAKER, RIVAL];

/** Evidence of two votes that contradict nothing. */
function harmless() {
  const world = new World();
  const [one, other] = [0, 1].map((ahead) =>
    world.unit("alice", [payTo(["11".repeat(32), 1n])], { ahead })
  );
  if (one === undefined || other === undefined) throw new Error("no units");
  const { body } = showing(onTwoUnits(world, "votes", [one, other]));
  return { kind: "evidence", body: { ...body as object, key: keyOf(0) } } as ReturnType<
    typeof showing
  >;
}

/** The steps; what is sent without waiting races with what follows. */
export function* stakeLife(send: Send): Steps {
  const [first, second] = [validatorId(keyOf(0)), validatorId(keyOf(1))];
  send(STAKER, [delegate(usd(1) - 1n, first)], "forbidden");
  const mine = yield send(STAKER, [delegate(usd(900), first)]);
  const other = yield send(RIVAL, [delegate(usd(700), second)]);
  for (const act of [claimRewards, undelegate, withdraw]) {
    send(RIVAL, [act(mine)], "forbidden");
  }
  for (const act of [claimEarned, leave, withdrawOwn]) send(RIVAL, [act(first)], "forbidden");
  send(RIVAL, [setCommission(1, first)], "forbidden");
  send(RIVAL, [harmless()], "forbidden");
  yield send(operatorOf(0), [setCommission(1500, first)]);
  send(operatorOf(0), [withdrawOwn(first)], "forbidden");
  send(STAKER, [claimRewards(mine)]);
  send(STAKER, [delegate(usd(50), second)]);
  yield send(RIVAL, [undelegate(other)]);
  send(RIVAL, [undelegate(other)], "forbidden");
  send(operatorOf(1), [claimEarned(second)]);
  yield send(RIVAL, [withdraw(other)], "forbidden");
}
