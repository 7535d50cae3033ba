/**
 * Delegates stake to a validator's pool: the account keeps a delegation, which counts and earns from
 * the epoch's end on. Nobody may get more than twice an equal share of what is bonded.
 */
import { id, MIN_DELEGATION, shortId, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { delegationKind } from "../objects/delegation.ts";
import { STAKING, stakingKind, tallied } from "../objects/staking.ts";
import { bondedStake, takesPart } from "../objects/validator.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import { sharesFor, withDelegated } from "../staking/pool.ts";
import type { View } from "../view.ts";
import { needValidator, putValidator } from "./_staking.ts";

const codec = struct({
  /** The id of the validator, or of a key that it has or had. */
  validator: id,
  /** Micro-USD. */
  amount: u64,
});

/** Body of `stake_delegate`. */
export type StakeDelegateBody = ValueOf<typeof codec>;

export const stakeDelegate = defineTxKind({
  name: "stake_delegate",
  tag: 103,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ amount }: StakeDelegateBody) => amount === 0n ? "an amount must be above 0" : undefined,
  spendBound: ({ amount }) => ({ asset: USD, amount }),
  touches: ({ validator }) => ({ shared: [validator, STAKING] }),
  intent: ({ validator, amount }, say) =>
    `Delegate ${say.amount(amount)} to validator ${say.short(validator)}`,
  apply(view: View, { validator: named, amount }) {
    view.require(
      amount >= MIN_DELEGATION,
      "invalid transaction",
      "a delegation must be at least 1",
    );
    const found = needValidator(view, named);
    const { id: validatorId, validator } = found;
    const short = shortId(validatorId);
    view.require(
      takesPart(validator),
      "invalid transaction",
      `validator ${short} takes no more stake`,
    );
    const shares = sharesFor(validator.pool, amount);
    if (shares === undefined) {
      return view.fail("invalid transaction", "more than the ledger can hold");
    }
    const after = { ...validator, pool: withDelegated(validator.pool, amount, shares) };
    const staking = view.need(stakingKind, STAKING);
    const { bonded, validators } = tallied(staking, validator, after);
    view.require(
      BigInt(validators) * bondedStake(after) <= 2n * bonded,
      "invalid transaction",
      `validator ${short} would have more than twice an equal share of the bonded stake`,
    );
    view.debit(USD, amount);
    putValidator(view, found, after);
    const owner = view.actor;
    const delegation = view.create(delegationKind, {
      owner,
      validator: validatorId,
      shares,
      made: view.pulse,
      epoch: staking.epoch,
      paid: null,
      unbonding: null,
    });
    view.emit("Delegated", { amount, delegation, owner, shares, validator: validatorId });
  },
  tells: { Delegated: told },
  done: (receipt, _body, say) => told(eventOf(receipt, "Delegated"), say),
});

/** @param fields of `Delegated`. */
function told(fields: EventFields, say: Say): string {
  return `${say.account(fields.id("owner"))} delegated ${say.amount(fields.amount("amount"))} to ` +
    `validator ${say.short(fields.id("validator"))} as delegation ` +
    `${say.short(fields.id("delegation"))}, earning from the epoch's end`;
}
