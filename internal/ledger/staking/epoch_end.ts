/**
 * The end of an epoch: its fees are shared by weight, what was delegated in it earns from here on,
 * commissions change and validators join. docs/protocol/staking.md, An epoch's end.
 */
import { FULL_COMMISSION } from "#internal/core/mod.ts";
import type { LedgerEventBody } from "../event_value.ts";
import type { Asset } from "../objects/asset.ts";
import { assetKind, USD } from "../objects/asset.ts";
import { rewardMarkId, rewardMarkKind } from "../objects/reward_mark.ts";
import type { Staking } from "../objects/staking.ts";
import { epochEndAfter, STAKING, stakingKind, tallied } from "../objects/staking.ts";
import type { Validator } from "../objects/validator.ts";
import { countedStake, validatorKind } from "../objects/validator.ts";
import type { ValidatorSet } from "../objects/validator_set.ts";
import { stakeOf, withRewards } from "./pool.ts";
import type { SessionObjects } from "./session_objects.ts";
import { cutWeights } from "./weights.ts";

/** Ends the epoch if a session's last Pulse ends it too. Its event, or null. */
export function endEpoch(
  objects: SessionObjects,
  set: ValidatorSet,
  pulse: bigint,
): LedgerEventBody | null {
  const found = objects.read(STAKING)?.value as Staking | undefined;
  if (found === undefined || found.epochEnd === null || pulse < found.epochEnd) return null;
  const { epoch, epochPulses } = found;
  const event = shareFees(objects, set, epoch);
  let staking: Staking = {
    ...found,
    epoch: epoch + 1n,
    epochEnd: epochEndAfter(pulse, epochPulses),
  };
  for (const id of set.registered) {
    const before = objects.read(id)?.value as Validator;
    const after = renewed(before);
    if (before.pool.pending > 0n) {
      const value = { validator: id, epoch, perShare: before.pool.perShare, pulse };
      objects.write(rewardMarkId(id, epoch), { kind: rewardMarkKind.name, value });
    }
    staking = tallied(staking, before, after);
    if (after !== before) objects.write(id, { kind: validatorKind.name, value: after });
  }
  objects.write(STAKING, { kind: stakingKind.name, value: staking });
  return event;
}

/** The validator in the next epoch; the same value when nothing changes. */
function renewed(validator: Validator): Validator {
  const { pool, status, nextCommission } = validator;
  if (pool.pending === 0n && status !== "joining" && nextCommission === null) return validator;
  return {
    ...validator,
    status: status === "joining" ? "active" : status,
    commission: nextCommission ?? validator.commission,
    nextCommission: null,
    pool: { ...pool, earning: pool.earning + pool.pending, pending: 0n },
  };
}

/** Shares the fees among the committee by weight; what no validator gets goes to the treasury. */
function shareFees(
  objects: SessionObjects,
  { committee }: ValidatorSet,
  epoch: bigint,
): LedgerEventBody {
  const usd = objects.read(USD)?.value as Asset;
  const weights = cutWeights(committee.map(({ stake }) => stake));
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  let shared = 0n;
  for (const [at, { validator: id }] of committee.entries()) {
    const validator = objects.read(id)?.value as Validator;
    const reward = usd.fees * (weights[at] as bigint) / total;
    if (reward === 0n || validator.status !== "active") continue;
    shared += reward;
    objects.write(id, { kind: validatorKind.name, value: rewarded(validator, reward) });
  }
  const treasury = usd.fees - shared;
  const value: Asset = { ...usd, fees: 0n, treasury: usd.treasury + treasury };
  objects.write(USD, { kind: assetKind.name, value });
  return { EpochEnded: { epoch, shared, treasury } };
}

/** Divides a reward between a validator's operator and its pool, less the commission. */
function rewarded(validator: Validator, reward: bigint): Validator {
  const { pool, commission, earned } = validator;
  const earning = stakeOf(pool, pool.earning);
  const share = earning === 0n ? 0n : reward * earning / countedStake(validator);
  const full = BigInt(FULL_COMMISSION);
  const kept = (share * BigInt(commission) + full - 1n) / full;
  const delegated = share - kept;
  return {
    ...validator,
    earned: earned + reward - delegated,
    pool: withRewards(pool, delegated),
  };
}
