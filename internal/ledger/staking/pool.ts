/**
 * The stake that others delegate to a validator: shares of one pool, what they are worth and earn.
 * Every division rounds against who delegates. docs/protocol/staking.md.
 */
import { MAX_AMOUNT, struct, u128, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";

/** What a share earned is counted in 2⁻⁶⁴ of a micro-USD. */
const PER_SHARE_BITS = 64n;

export const poolCodec = struct({
  /** Micro-USD. Never more than shares, and above 0 while there are shares. */
  stake: u64,
  shares: u64,
  /** Shares that earn from the epoch's end on, and shares that earn; all others unbond. */
  pending: u64,
  earning: u64,
  /** What one share earned since the pool began, times 2⁶⁴. */
  perShare: u128,
  /** Micro-USD that delegations can collect. */
  rewards: u64,
});

/** The delegated stake of one validator. */
export type Pool = ValueOf<typeof poolCodec>;

export const EMPTY_POOL: Pool = {
  stake: 0n,
  shares: 0n,
  pending: 0n,
  earning: 0n,
  perShare: 0n,
  rewards: 0n,
};

/** Micro-USD behind some of a pool's shares. */
export function stakeOf({ stake, shares }: Pool, of: bigint): bigint {
  return shares === 0n ? 0n : stake * of / shares;
}

/**
 * The shares that an amount of micro-USD buys: never more than the pool's ratio gives, and never none,
 * as a share is worth at most a micro-USD. Undefined when the pool could not count them.
 */
export function sharesFor({ stake, shares }: Pool, amount: bigint): bigint | undefined {
  const bought = shares === 0n ? amount : amount * shares / stake;
  return shares + bought > MAX_AMOUNT ? undefined : bought;
}

/** The pool with an amount more, for shares that are pending. */
export function withDelegated(pool: Pool, amount: bigint, bought: bigint): Pool {
  return {
    ...pool,
    stake: pool.stake + amount,
    shares: pool.shares + bought,
    pending: pool.pending + bought,
  };
}

/** The pool without shares that unbonded, and what they were worth. */
export function withoutShares(pool: Pool, of: bigint): { pool: Pool; amount: bigint } {
  const amount = stakeOf(pool, of);
  return { pool: { ...pool, stake: pool.stake - amount, shares: pool.shares - of }, amount };
}

/** Micro-USD that shares earned since one share had earned `since`. */
export function earnedBy({ perShare }: Pool, of: bigint, since: bigint): bigint {
  return of * (perShare - since) >> PER_SHARE_BITS;
}

/** The pool after micro-USD were shared among those that earn, of which there are some unless it is 0. */
export function withRewards(pool: Pool, amount: bigint): Pool {
  if (amount === 0n) return pool;
  return {
    ...pool,
    perShare: pool.perShare + (amount << PER_SHARE_BITS) / pool.earning,
    rewards: pool.rewards + amount,
  };
}
