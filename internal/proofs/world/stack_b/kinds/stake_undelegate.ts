/** `stake_undelegate`: stops a delegation earning; its stake can be withdrawn later on. */
import { id, struct } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Delegation, Pool } from "../objects.ts";
import {
  giveToTreasury,
  isEarning,
  owedTo,
  ownDelegation,
  putChanged,
  STAKING_ID,
  UNBONDING,
} from "../stake.ts";

/** docs/protocol/staking.md, stake_undelegate. */
export const stakeUndelegate = defineKind({
  name: "stake_undelegate",
  tag: 105,
  codec: struct({ delegation: id }),
  fixes: "execution",
  apply(context, { delegation }) {
    const before = ownDelegation(context, delegation, "undelegate it");
    if (before.unbonding !== null) {
      invalid(`delegation ${short(delegation)} is unbonding already`);
    }
    const staking = context.get("staking", STAKING_ID);
    const { owner, validator, shares } = before;
    const behind = context.get("validator", validator);
    const earns = isEarning(before, staking);
    const { pool, rewards } = earns
      ? stopEarning(context, before, behind.pool)
      : { pool: { ...behind.pool, pending: behind.pool.pending - shares }, rewards: 0n };
    if (rewards > 0n) context.credit(owner, USD, rewards);
    putChanged(context, { id: validator, validator: behind }, { ...behind, pool });
    const { pulse } = context;
    const last = earns ? staking.epochEnd ?? pulse : pulse;
    const due = last + UNBONDING;
    context.put("delegation", delegation, { ...before, unbonding: { since: pulse, due } });
    return { Undelegated: { delegation, due, owner, rewards, validator } };
  },
});

/** The pool without shares that earned, and what is owed for them. What no shares are left for goes. */
function stopEarning(
  context: Context,
  delegation: Delegation,
  pool: Pool,
): { readonly pool: Pool; readonly rewards: bigint } {
  const rewards = owedTo(context, delegation, pool);
  const earning = pool.earning - delegation.shares;
  const rest = pool.rewards - rewards;
  const left = earning === 0n ? 0n : rest;
  giveToTreasury(context, rest - left);
  return { pool: { ...pool, earning, rewards: left }, rewards };
}
