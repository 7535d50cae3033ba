/** Stops a delegation earning: collects its rewards and starts its unbonding. */
import { id, shortId, struct, UNBONDING_PULSES } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { delegationKind, phaseOf } from "../objects/delegation.ts";
import { STAKING, stakingKind } from "../objects/staking.ts";
import { validatorKind } from "../objects/validator.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { Pool } from "../staking/pool.ts";
import type { View } from "../view.ts";
import { needOwned, owedNow, putValidator } from "./_staking.ts";

const codec = struct({ delegation: id });

/** Body of `stake_undelegate`. */
export type StakeUndelegateBody = ValueOf<typeof codec>;

export const stakeUndelegate = defineTxKind({
  name: "stake_undelegate",
  tag: 105,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ delegation }: StakeUndelegateBody) => ({ shared: [delegation, STAKING, USD] }),
  intent: ({ delegation }, say) =>
    `Stop delegation ${say.short(delegation)} earning, and collect its rewards`,
  apply(view: View, { delegation: named }) {
    const delegation = needOwned(view, named, "undelegate it");
    view.require(
      delegation.unbonding === null,
      "invalid transaction",
      `delegation ${shortId(named)} is unbonding already`,
    );
    const staking = view.need(stakingKind, STAKING);
    const { validator: validatorId, owner, shares } = delegation;
    const validator = view.need(validatorKind, validatorId);
    const earns = phaseOf(delegation, staking.epoch) === "earning";
    const rewards = owedNow(view, delegation, staking, validator);
    const { pool, dust } = earns
      ? withoutEarning(validator.pool, shares, rewards)
      : { pool: { ...validator.pool, pending: validator.pool.pending - shares }, dust: 0n };
    putValidator(view, { id: validatorId, validator }, { ...validator, pool });
    // What earned gave weight until the epoch's end, and can be slashed for as long after it.
    const counted = earns ? staking.epochEnd ?? view.pulse : view.pulse;
    const due = counted + UNBONDING_PULSES;
    view.put(delegationKind, named, { ...delegation, unbonding: { since: view.pulse, due } });
    view.credit(owner, USD, rewards);
    if (dust > 0n) view.forfeit(USD, dust);
    const fields = { delegation: named, due, owner, rewards, validator: validatorId };
    view.emit("Undelegated", fields);
  },
  tells: { Undelegated: told },
  done: (receipt, _body, say) => told(eventOf(receipt, "Undelegated"), say),
});

/** The pool after shares stop earning, paid; what was owed to nobody is left over with the last of them. */
function withoutEarning(pool: Pool, shares: bigint, paid: bigint): { pool: Pool; dust: bigint } {
  const earning = pool.earning - shares;
  const rewards = pool.rewards - paid;
  return earning === 0n
    ? { pool: { ...pool, earning, rewards: 0n }, dust: rewards }
    : { pool: { ...pool, earning, rewards }, dust: 0n };
}

/** @param fields of `Undelegated`. */
function told(fields: EventFields, say: Say): string {
  return `delegation ${say.short(fields.id("delegation"))} earns no more, its stake can be ` +
    `withdrawn from Pulse ${fields.pulse("due")} on; ${say.amount(fields.amount("rewards"))} ` +
    "collected as rewards";
}
