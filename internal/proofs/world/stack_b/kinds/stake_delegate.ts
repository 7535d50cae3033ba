/** `stake_delegate`: puts money of the acting account behind a validator. */
import { id, struct, u64 } from "#internal/core/mod.ts";
import { USD } from "../context.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import {
  bondedStake,
  isStanding,
  ONE_USD,
  STAKING_ID,
  validatorNamed,
  withChange,
} from "../stake.ts";

const MAX_U64 = 2n ** 64n - 1n;

/** docs/protocol/staking.md, stake_delegate. */
export const stakeDelegate = defineKind({
  name: "stake_delegate",
  tag: 103,
  codec: struct({ validator: id, amount: u64 }),
  fixes: "execution",
  fault: ({ amount }) => amount === 0n ? "an amount is 0" : null,
  apply(context, { validator: name, amount }) {
    if (amount < ONE_USD) invalid("a delegation must be at least 1");
    const { id: validator, validator: before } = validatorNamed(context, name);
    if (!isStanding(before)) invalid(`validator ${short(validator)} takes no more stake`);
    const { pool } = before;
    const shares = pool.shares === 0n ? amount : amount * pool.shares / pool.stake;
    if (pool.shares + shares > MAX_U64) invalid("more than the ledger can hold");
    const staking = context.get("staking", STAKING_ID);
    const after = {
      ...before,
      pool: {
        ...pool,
        stake: pool.stake + amount,
        shares: pool.shares + shares,
        pending: pool.pending + shares,
      },
    };
    const sums = withChange(staking, before, after);
    if (BigInt(sums.validators) * bondedStake(after) > 2n * sums.bonded) {
      const who = `validator ${short(validator)}`;
      invalid(`${who} would have more than twice an equal share of the bonded stake`);
    }
    context.take(USD, amount);
    context.put("staking", STAKING_ID, sums);
    context.put("validator", validator, after);
    const owner = context.account;
    const { epoch } = staking;
    const made = { made: context.pulse, epoch, paid: null, unbonding: null };
    const delegation = context.make("delegation", () => ({ owner, validator, shares, ...made }));
    return { Delegated: { amount, delegation, owner, shares, validator } };
  },
});
