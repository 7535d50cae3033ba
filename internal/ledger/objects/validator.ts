/**
 * A validator: who operates it, the key it signs with, the stake behind it. Its object keeps its id
 * for ever; the id that status and certificates show is that of its present key.
 */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import {
  byteString,
  encode,
  id,
  list,
  option,
  struct,
  toHex,
  u16,
  u32,
  u64,
} from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import { defineObjectKind } from "../object_kind.ts";
import { undecodable } from "../errors.ts";
import type { Pool } from "../staking/pool.ts";
import { EMPTY_POOL, poolCodec, stakeOf } from "../staking/pool.ts";
import { USD } from "./asset.ts";

const VALIDATOR_TAG = "sion/validator/v1";

/** The most sessions that a validator is slashed for: what is left then is a thousandth. */
export const MAX_SLASHINGS = 64;

/** The encoding of a validator's dual public key. */
export const keyCodec: Codec<Uint8Array> = byteString(DUAL_PUBLIC_KEY_BYTES);

/** The id of a validator's dual public key; of its first key also that of its object. */
export function validatorId(publicKey: Uint8Array): string {
  return toHex(taggedHash(VALIDATOR_TAG, encode(keyCodec, publicKey)));
}

/**
 * Whether a validator takes part: `active`; `left` for good; `joining` at the epoch's end; `slashed`,
 * and out until it has another key.
 */
export type ValidatorStatus = "active" | "left" | "joining" | "slashed";

const STATUSES: readonly ValidatorStatus[] = ["active", "left", "joining", "slashed"];

const statusCodec: Codec<ValidatorStatus> = {
  write: (to, status) => to.uleb(STATUSES.indexOf(status)),
  read: (from) => STATUSES[from.uleb()] ?? undecodable("a validator: no known status"),
};

export interface Validator {
  /** The account that acts for it. */
  readonly operator: AccountId;
  /** The dual public key of the present session, or of the last that it was in. */
  readonly key: Uint8Array;
  /** The key from the next session on, and the Pulse that the change was executed in. */
  readonly next: { readonly key: Uint8Array; readonly since: bigint } | null;
  /** Own stake, micro-USD. */
  readonly stake: bigint;
  readonly status: ValidatorStatus;
  /** The Pulse it was registered in. */
  readonly registered: bigint;
  /** Of one that left, the Pulse from which its own stake can be withdrawn. */
  readonly due: bigint | null;
  /** What the operator keeps of the pool's rewards, and from the epoch's end on; ten-thousandths. */
  readonly commission: number;
  readonly nextCommission: number | null;
  /** Rewards that the operator can collect, micro-USD. */
  readonly earned: bigint;
  /** What others delegate to it. */
  readonly pool: Pool;
  /** Sessions that it was slashed for. */
  readonly slashed: readonly number[];
}

/** A validator as it begins. */
export function newValidator(
  given: Pick<Validator, "operator" | "key" | "stake" | "status" | "registered" | "commission">,
): Validator {
  return {
    ...given,
    next: null,
    due: null,
    nextCommission: null,
    earned: 0n,
    pool: EMPTY_POOL,
    slashed: [],
  };
}

/** Whether it is in committees, or will be. */
export function takesPart({ status }: Validator): boolean {
  return status === "active" || status === "joining";
}

/** Micro-USD that give it weight at a session's end. */
export function countedStake({ stake, pool }: Validator): bigint {
  return stake + stakeOf(pool, pool.earning);
}

/** Micro-USD that will give it weight once all that is pending counts. */
export function bondedStake(validator: Validator): bigint {
  const { stake, pool } = validator;
  return takesPart(validator) ? stake + stakeOf(pool, pool.pending + pool.earning) : 0n;
}

const codec: Codec<Validator> = struct({
  operator: id,
  key: keyCodec,
  next: option(struct({ key: keyCodec, since: u64 })),
  stake: u64,
  status: statusCodec,
  registered: u64,
  due: option(u64),
  commission: u16,
  nextCommission: option(u16),
  earned: u64,
  pool: poolCodec,
  slashed: list(u32, MAX_SLASHINGS),
});

export const validatorKind = defineObjectKind({
  name: "validator",
  tag: 96,
  codec,
  holds: ({ stake, earned, pool }: Validator, add) =>
    add(USD, stake + earned + pool.stake + pool.rewards),
  refs: ({ operator }: Validator) => ({ operator }),
  view: (value: Validator) => ({
    operator: value.operator,
    key: validatorId(value.key),
    next_key: value.next === null ? null : validatorId(value.next.key),
    next_key_since: value.next?.since ?? null,
    stake: value.stake,
    status: value.status,
    registered: value.registered,
    withdrawable_at: value.due,
    commission: value.commission,
    next_commission: value.nextCommission,
    earned: value.earned,
    delegated: value.pool.stake,
    delegated_pending: stakeOf(value.pool, value.pool.pending),
    delegated_earning: stakeOf(value.pool, value.pool.earning),
    slashed_sessions: [...value.slashed],
  }),
});
