/** What stake looks like to who reads a state: validators with their pools, and delegations. */
import type { AccountId } from "#internal/core/mod.ts";
import { LedgerError } from "../errors.ts";
import type { LedgerObject } from "../object_kind.ts";
import type { Delegation, DelegationPhase } from "../objects/delegation.ts";
import { delegationKind, owedTo, phaseOf } from "../objects/delegation.ts";
import type { RewardMark } from "../objects/reward_mark.ts";
import { rewardMarkId } from "../objects/reward_mark.ts";
import type { Staking } from "../objects/staking.ts";
import { STAKING } from "../objects/staking.ts";
import type { Validator, ValidatorStatus } from "../objects/validator.ts";
import type { ValidatorSet } from "../objects/validator_set.ts";
import { VALIDATOR_SET } from "../objects/validator_set.ts";
import { stakeOf } from "./pool.ts";
import { cutWeights } from "./weights.ts";

/** Reads an object of one state. */
export type ReadObject = (id: string) => LedgerObject | undefined;

/** The epoch of a state. */
export interface EpochReading {
  readonly epoch: bigint;
  /** The Pulse at which it is due to end; null: it never ends. */
  readonly epochEnd: bigint | null;
}

/** A validator and its pool. Amounts are micro-USD. */
export interface PoolReading {
  readonly validator: string;
  readonly operator: AccountId;
  /** `waiting`: active, but others have more stake and fill the committee. */
  readonly status: ValidatorStatus | "waiting";
  readonly own: bigint;
  /** Delegated and not unbonding, and what of it earns. */
  readonly delegated: bigint;
  readonly earning: bigint;
  /** Ten-thousandths. */
  readonly commission: number;
  /** In the present committee; 0 outside. */
  readonly weight: bigint;
  /** What its operator can collect. */
  readonly earned: bigint;
}

/** A delegation as it stands. Amounts are micro-USD. */
export interface DelegationReading {
  readonly delegation: string;
  readonly validator: string;
  readonly phase: DelegationPhase;
  readonly shares: bigint;
  readonly stake: bigint;
  readonly owed: bigint;
  /** The Pulse its phase began in. */
  readonly since: bigint;
  readonly withdrawableAt: bigint | null;
}

/** @throws {LedgerError} `state` in a state without validators. */
export function readEpoch(read: ReadObject): EpochReading {
  const { epoch, epochEnd } = needed<Staking>(read, STAKING);
  return { epoch, epochEnd };
}

/** All registered validators, by id. @throws {LedgerError} `state` in a state without any. */
export function readPools(read: ReadObject): readonly PoolReading[] {
  const { registered, committee } = needed<ValidatorSet>(read, VALIDATOR_SET);
  const weights = cutWeights(committee.map(({ stake }) => stake));
  const weightOf = new Map(committee.map(({ validator }, at) => [validator, weights[at]]));
  return [...registered].sort().map((validator) => {
    const { operator, status, stake, pool, commission, earned } = needed<Validator>(
      read,
      validator,
    );
    const weight = weightOf.get(validator) ?? 0n;
    return {
      validator,
      operator,
      status: status === "active" && weight === 0n ? "waiting" : status,
      own: stake,
      delegated: stakeOf(pool, pool.pending + pool.earning),
      earning: stakeOf(pool, pool.earning),
      commission,
      weight,
      earned,
    };
  });
}

/** A delegation; undefined when there is none of this id, or it was withdrawn. */
export function readDelegation(read: ReadObject, id: string): DelegationReading | undefined {
  const object = read(id);
  if (object?.kind !== delegationKind.name) return undefined;
  const delegation = object.value as Delegation;
  const { validator, shares, made, epoch, unbonding } = delegation;
  if (shares === 0n) return undefined;
  const { pool } = needed<Validator>(read, validator);
  const phase = phaseOf(delegation, readEpoch(read).epoch);
  const mark = () => needed<RewardMark>(read, rewardMarkId(validator, epoch));
  const since = {
    pending: () => made,
    earning: () => mark().pulse,
    unbonding: () => unbonding?.since ?? made,
  };
  return {
    delegation: id,
    validator,
    phase,
    shares,
    stake: stakeOf(pool, shares),
    owed: phase === "earning" ? owedTo(delegation, pool, () => mark().perShare) : 0n,
    since: since[phase](),
    withdrawableAt: unbonding?.due ?? null,
  };
}

function needed<Value>(read: ReadObject, id: string): Value {
  const object = read(id);
  if (object === undefined) throw new LedgerError("state", `Cannot read stake: there is no ${id}`);
  return object.value as Value;
}
