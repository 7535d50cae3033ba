/** Collects rewards: those of a delegation, or what a validator's operator earned. */
import { shortId, struct } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { delegationKind, phaseOf } from "../objects/delegation.ts";
import { STAKING, stakingKind } from "../objects/staking.ts";
import { validatorKind } from "../objects/validator.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import {
  needOperated,
  needOwned,
  owedNow,
  stakeCodec,
  stakeNamed,
  stakeOfEvent,
  stakeTold,
} from "./_staking.ts";

const codec = struct({ of: stakeCodec });

/** Body of `stake_claim`. */
export type StakeClaimBody = ValueOf<typeof codec>;

function claimOfDelegation(view: View, id: string): void {
  const delegation = needOwned(view, id, "claim its rewards");
  const nothing = (): never =>
    view.fail("invalid transaction", `nothing is owed to delegation ${shortId(id)}`);
  if (delegation.unbonding !== null) return nothing();
  const staking = view.need(stakingKind, STAKING);
  if (phaseOf(delegation, staking.epoch) === "pending") return nothing();
  const validator = view.need(validatorKind, delegation.validator);
  const amount = owedNow(view, delegation, staking, validator);
  if (amount === 0n) return nothing();
  const { pool } = validator;
  view.put(validatorKind, delegation.validator, {
    ...validator,
    pool: { ...pool, rewards: pool.rewards - amount },
  });
  view.put(delegationKind, id, { ...delegation, paid: pool.perShare });
  const { owner } = delegation;
  view.credit(owner, USD, amount);
  const fields = { amount, delegation: id, owner, validator: delegation.validator };
  view.emit("RewardsClaimed", fields);
}

function claimOfValidator(view: View, named: string): void {
  const { id, validator } = needOperated(view, named, "claim its rewards");
  const { earned, operator } = validator;
  view.require(
    earned > 0n,
    "invalid transaction",
    `nothing is owed to validator ${shortId(id)}`,
  );
  view.put(validatorKind, id, { ...validator, earned: 0n });
  view.credit(operator, USD, earned);
  view.emit("RewardsClaimed", {
    amount: earned,
    delegation: null,
    owner: operator,
    validator: id,
  });
}

export const stakeClaim = defineTxKind({
  name: "stake_claim",
  tag: 104,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ of }: StakeClaimBody) => ({ shared: [stakeNamed(of), STAKING] }),
  intent: ({ of }, say) => `Collect the rewards of ${stakeTold(of, say)}`,
  apply(view: View, { of }) {
    if (of.kind === "delegation") claimOfDelegation(view, of.body.delegation);
    else claimOfValidator(view, of.body.validator);
  },
  tells: { RewardsClaimed: told },
  done: (receipt, _body, say) => told(eventOf(receipt, "RewardsClaimed"), say),
});

/** @param fields of `RewardsClaimed`. */
function told(fields: EventFields, say: Say): string {
  return `${say.amount(fields.amount("amount"))} collected as rewards of ` +
    stakeOfEvent(fields, say);
}
