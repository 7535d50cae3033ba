/** `stake_withdraw`: takes back stake that can be slashed no more. */
import { struct } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Value } from "../receipt.ts";
import {
  checkDue,
  checkOperator,
  ownDelegation,
  partOf,
  putChanged,
  stakeCodec,
  STATUS,
  validatorNamed,
} from "../stake.ts";

/** docs/protocol/staking.md, stake_withdraw. */
export const stakeWithdraw = defineKind({
  name: "stake_withdraw",
  tag: 106,
  codec: struct({ of: stakeCodec }),
  fixes: "execution",
  apply: (context, { of }) =>
    of.kind === "delegation"
      ? ofDelegation(context, of.body.delegation)
      : ofValidator(context, of.body.validator),
});

function ofDelegation(context: Context, id: string): Value {
  const delegation = ownDelegation(context, id, "withdraw it");
  const name = `delegation ${short(id)}`;
  const { owner, validator, shares, unbonding } = delegation;
  if (shares === 0n) invalid(`${name} was withdrawn already`);
  checkDue(context, name, (unbonding ?? invalid(`${name} is not unbonding`)).due);
  const before = context.get("validator", validator);
  const { pool } = before;
  const amount = partOf(pool, shares);
  const after = { ...pool, stake: pool.stake - amount, shares: pool.shares - shares };
  putChanged(context, { id: validator, validator: before }, { ...before, pool: after });
  context.put("delegation", id, { ...delegation, shares: 0n });
  if (amount > 0n) context.credit(owner, USD, amount);
  return { StakeWithdrawn: { amount, delegation: id, owner, validator } };
}

function ofValidator(context: Context, by: string): Value {
  const named = validatorNamed(context, by);
  const { id, validator } = named;
  checkOperator(context, named, "withdraw its stake");
  const name = `validator ${short(id)}`;
  const { status, due, stake: amount, operator: owner } = validator;
  if (status !== STATUS.left) invalid(`${name} has not left`);
  checkDue(context, name, due ?? context.pulse);
  if (amount === 0n) invalid(`nothing of the own stake of ${name} is left`);
  context.put("validator", id, { ...validator, stake: 0n });
  context.credit(owner, USD, amount);
  return { StakeWithdrawn: { amount, delegation: null, owner, validator: id } };
}
