/** Withdraws stake that unbonded: a delegation's, or the own stake of a validator that left. */
import { shortId, struct } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { delegationKind } from "../objects/delegation.ts";
import { STAKING } from "../objects/staking.ts";
import { validatorKind } from "../objects/validator.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import { withoutShares } from "../staking/pool.ts";
import type { View } from "../view.ts";
import {
  needOperated,
  needOwned,
  putValidator,
  stakeCodec,
  stakeNamed,
  stakeOfEvent,
  stakeTold,
} from "./_staking.ts";

const codec = struct({ of: stakeCodec });

/** Body of `stake_withdraw`. */
export type StakeWithdrawBody = ValueOf<typeof codec>;

function requireDue(view: View, what: string, due: bigint): void {
  view.require(
    view.pulse >= due,
    "invalid transaction",
    `${what} can be withdrawn at Pulse ${due}`,
  );
}

function withdrawDelegation(view: View, id: string): void {
  const delegation = needOwned(view, id, "withdraw it");
  const { owner, shares, unbonding, validator: validatorId } = delegation;
  const what = `delegation ${shortId(id)}`;
  view.require(shares > 0n, "invalid transaction", `${what} was withdrawn already`);
  view.require(unbonding !== null, "invalid transaction", `${what} is not unbonding`);
  requireDue(view, what, unbonding.due);
  const validator = view.need(validatorKind, validatorId);
  const { pool, amount } = withoutShares(validator.pool, shares);
  putValidator(view, { id: validatorId, validator }, { ...validator, pool });
  view.put(delegationKind, id, { ...delegation, shares: 0n });
  view.credit(owner, USD, amount);
  view.emit("StakeWithdrawn", { amount, delegation: id, owner, validator: validatorId });
}

function withdrawOwn(view: View, named: string): void {
  const { id, validator } = needOperated(view, named, "withdraw its stake");
  const { operator, stake, due } = validator;
  const what = `validator ${shortId(id)}`;
  view.require(due !== null, "invalid transaction", `${what} has not left`);
  requireDue(view, what, due);
  view.require(
    stake > 0n,
    "invalid transaction",
    `nothing of the own stake of ${what} is left`,
  );
  view.put(validatorKind, id, { ...validator, stake: 0n });
  view.credit(operator, USD, stake);
  view.emit("StakeWithdrawn", {
    amount: stake,
    delegation: null,
    owner: operator,
    validator: id,
  });
}

export const stakeWithdraw = defineTxKind({
  name: "stake_withdraw",
  tag: 106,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ of }: StakeWithdrawBody) => ({ shared: [stakeNamed(of), STAKING] }),
  intent: ({ of }, say) =>
    `Withdraw the ${of.kind === "validator" ? "own " : ""}stake of ${stakeTold(of, say)}`,
  apply(view: View, { of }) {
    if (of.kind === "delegation") withdrawDelegation(view, of.body.delegation);
    else withdrawOwn(view, of.body.validator);
  },
  tells: { StakeWithdrawn: told },
  done: (receipt, _body, say) => told(eventOf(receipt, "StakeWithdrawn"), say),
});

/** @param fields of `StakeWithdrawn`. */
function told(fields: EventFields, say: Say): string {
  return `${say.amount(fields.amount("amount"))} withdrawn from ${stakeOfEvent(fields, say)}`;
}
