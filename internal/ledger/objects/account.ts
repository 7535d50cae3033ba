/** An account: its next slot and its balances. Its id is the hash of who may sign for it. */
import type { Codec } from "#internal/core/mod.ts";
import { id, sortedMap, struct, u64 } from "#internal/core/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

export interface Account {
  /** The next slot; slots below it are consumed. */
  readonly sequence: bigint;
  /** Micro-units by asset; never zero. */
  readonly balances: ReadonlyMap<string, bigint>;
}

const codec: Codec<Account> = struct({ sequence: u64, balances: sortedMap(id, u64) });

/** What an account is before anything happened to it. */
export const EMPTY_ACCOUNT: Account = { sequence: 0n, balances: new Map() };

export const accountKind = defineObjectKind({
  name: "account",
  tag: 1,
  codec,
  holds(value: Account, add) {
    for (const [asset, amount] of value.balances) add(asset, amount);
  },
  view: (value: Account) => ({
    sequence: value.sequence,
    balances: [...value.balances].map(([asset, amount]) => ({ asset, amount })),
  }),
});

/** Micro-units of an asset on an account. */
export function balanceOf(account: Account, asset: string): bigint {
  return account.balances.get(asset) ?? 0n;
}

/** The account with its balance of an asset changed by `delta`, which must not lead below zero. */
export function withBalance(account: Account, asset: string, delta: bigint): Account {
  if (delta === 0n) return account;
  const balance = balanceOf(account, asset) + delta;
  if (balance < 0n) throw new RangeError("Cannot change balance: it would be negative");
  const balances = new Map(account.balances);
  if (balance === 0n) balances.delete(asset);
  else balances.set(asset, balance);
  return { sequence: account.sequence, balances };
}
