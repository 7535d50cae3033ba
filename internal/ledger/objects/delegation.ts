/** Stake that an account delegated to a validator's pool: its shares, and how far it was paid. */
import { id, option, struct, u128, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { defineObjectKind } from "../object_kind.ts";
import type { Pool } from "../staking/pool.ts";
import { earnedBy } from "../staking/pool.ts";
import { rewardMarkId } from "./reward_mark.ts";

const codec = struct({
  owner: id,
  validator: id,
  /** Of the validator's pool; 0 once the stake was withdrawn. */
  shares: u64,
  /** The Pulse and the epoch it was made in. */
  made: u64,
  epoch: u64,
  /** The pool's `perShare` that its rewards were collected up to; null before the first time. */
  paid: option(u128),
  /** The Pulse in which it stopped earning, and that from which its stake can be withdrawn. */
  unbonding: option(struct({ since: u64, due: u64 })),
});

export type Delegation = ValueOf<typeof codec>;

/** What a delegation does: it earns from the end of the epoch it was made in, until it is stopped. */
export type DelegationPhase = "pending" | "earning" | "unbonding";

/** The phase in an epoch. */
export function phaseOf({ unbonding, epoch }: Delegation, now: bigint): DelegationPhase {
  if (unbonding !== null) return "unbonding";
  return now > epoch ? "earning" : "pending";
}

/**
 * What is owed to a delegation that earns, micro-USD.
 * @param mark what a share had earned when it began to, of one that was never paid.
 */
export function owedTo({ shares, paid }: Delegation, pool: Pool, mark: () => bigint): bigint {
  return earnedBy(pool, shares, paid ?? mark());
}

export const delegationKind = defineObjectKind({
  name: "delegation",
  tag: 100,
  codec,
  refs: ({ owner, validator, epoch }: Delegation) => ({
    owner,
    validator,
    mark: rewardMarkId(validator, epoch),
  }),
  view: ({ owner, validator, shares, made, epoch, paid, unbonding }: Delegation) => ({
    owner,
    validator,
    shares: shares.toString(),
    made,
    epoch,
    paid: paid === null ? null : paid.toString(),
    unbonding: unbonding === null ? null : { ...unbonding },
  }),
});
