/** What the kinds of staking share: validators and delegations by name, and what they are together. */
import { id, shortId, struct, union } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import type { Delegation } from "../objects/delegation.ts";
import { delegationKind, owedTo, phaseOf } from "../objects/delegation.ts";
import { rewardMarkId, rewardMarkKind } from "../objects/reward_mark.ts";
import type { Staking } from "../objects/staking.ts";
import { STAKING, stakingKind, tallied } from "../objects/staking.ts";
import type { Validator } from "../objects/validator.ts";
import { validatorKind } from "../objects/validator.ts";
import { validatorKeyKind } from "../objects/validator_key.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";

/** Whose stake, in bodies: a delegation, or a validator's own. */
export const stakeCodec = union({
  delegation: [0, struct({ delegation: id })],
  validator: [1, struct({ validator: id })],
});

/** A delegation's stake or a validator's own, by id. */
export type StakeName = ValueOf<typeof stakeCodec>;

/** The id that a stake goes by. */
export function stakeNamed(of: StakeName): string {
  return of.kind === "delegation" ? of.body.delegation : of.body.validator;
}

/** `delegation 59e26b64`. */
export function stakeTold(of: StakeName, say: Say): string {
  return `${of.kind} ${say.short(stakeNamed(of))}`;
}

/** The same of an event, whose delegation is null where it is a validator's own. */
export function stakeOfEvent(fields: EventFields, say: Say): string {
  const delegation = fields.idIfAny("delegation");
  return stakeTold(
    delegation === undefined
      ? { kind: "validator", body: { validator: fields.id("validator") } }
      : { kind: "delegation", body: { delegation } },
    say,
  );
}

/** A validator with the id of its object. */
export interface FoundValidator {
  readonly id: string;
  readonly validator: Validator;
}

/** The validator of an id: its object's, or that of any key it has or had. */
export function needValidator(view: View, named: string): FoundValidator {
  const id = view.get(validatorKeyKind, named)?.validator ?? named;
  return { id, validator: view.need(validatorKind, id) };
}

/** The validator, if the acting account operates it. @param act `take it out` */
export function needOperated(view: View, named: string, act: string): FoundValidator {
  const found = needValidator(view, named);
  view.require(
    found.validator.operator === view.actor,
    "unauthorized",
    `only the operator of validator ${shortId(found.id)} may ${act}`,
  );
  return found;
}

/** The delegation, if it is the acting account's. @param act `withdraw it` */
export function needOwned(view: View, named: string, act: string): Delegation {
  const delegation = view.need(delegationKind, named);
  view.require(
    delegation.owner === view.actor,
    "unauthorized",
    `only the owner of delegation ${shortId(named)} may ${act}`,
  );
  return delegation;
}

/** Fails where a key is, or was, a validator's. */
export function requireNewKey(view: View, keyId: string): void {
  const isNew = view.get(validatorKind, keyId) === undefined &&
    view.get(validatorKeyKind, keyId) === undefined;
  view.require(isNew, "invalid transaction", "a validator has or had this key");
}

/** Replaces a validator, and counts what that changes of the sum over all. */
export function putValidator(
  view: View,
  { id, validator: before }: FoundValidator,
  after: Validator,
): void {
  const staking = view.need(stakingKind, STAKING);
  view.put(validatorKind, id, after);
  view.put(stakingKind, STAKING, tallied(staking, before, after));
}

/** What is owed to a delegation in its phase, micro-USD; reads its mark if it needs it. */
export function owedNow(
  view: View,
  delegation: Delegation,
  { epoch }: Staking,
  { pool }: Validator,
): bigint {
  if (phaseOf(delegation, epoch) !== "earning") return 0n;
  return owedTo(delegation, pool, () => {
    const id = rewardMarkId(delegation.validator, delegation.epoch);
    return view.need(rewardMarkKind, id).perShare;
  });
}
