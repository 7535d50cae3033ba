/** `stake_claim`: collects what a delegation, or a validator itself, has earned. */
import { struct } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Value } from "../receipt.ts";
import {
  checkOperator,
  isEarning,
  owedTo,
  ownDelegation,
  stakeCodec,
  STAKING_ID,
  validatorNamed,
} from "../stake.ts";

const MAY = "claim its rewards";

/** docs/protocol/staking.md, stake_claim. */
export const stakeClaim = defineKind({
  name: "stake_claim",
  tag: 104,
  codec: struct({ of: stakeCodec }),
  fixes: "execution",
  apply: (context, { of }) =>
    of.kind === "delegation"
      ? ofDelegation(context, of.body.delegation)
      : ofValidator(context, of.body.validator),
});

function ofDelegation(context: Context, id: string): Value {
  const delegation = ownDelegation(context, id, MAY);
  const nothing = () => invalid(`nothing is owed to delegation ${short(id)}`);
  if (delegation.unbonding !== null) return nothing();
  const staking = context.get("staking", STAKING_ID);
  if (!isEarning(delegation, staking)) return nothing();
  const { owner, validator } = delegation;
  const before = context.get("validator", validator);
  const { pool } = before;
  const amount = owedTo(context, delegation, pool);
  if (amount === 0n) return nothing();
  const rewards = pool.rewards - amount;
  context.put("validator", validator, { ...before, pool: { ...pool, rewards } });
  context.put("delegation", id, { ...delegation, paid: pool.perShare });
  context.credit(owner, USD, amount);
  return { RewardsClaimed: { amount, delegation: id, owner, validator } };
}

function ofValidator(context: Context, name: string): Value {
  const named = validatorNamed(context, name);
  const { id, validator } = named;
  checkOperator(context, named, MAY);
  const { earned, operator: owner } = validator;
  if (earned === 0n) return invalid(`nothing is owed to validator ${short(id)}`);
  context.put("validator", id, { ...validator, earned: 0n });
  context.credit(owner, USD, earned);
  return { RewardsClaimed: { amount: earned, delegation: null, owner, validator: id } };
}
