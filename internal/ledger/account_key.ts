/** Where the state holds accounts. */
import type { AccountId } from "#internal/core/mod.ts";
import { idBytes, toHex } from "#internal/core/mod.ts";
import { taggedHash, taggedHashMany } from "#internal/crypto/mod.ts";

const ACCOUNT_KEY_TAG = "sion/account-key/v1";

/** Keys kept at hand: of all accounts that a busy chain meets in some Pulses, in about a megabyte. */
const MAX_KNOWN = 4096;

/** Keys made lately: each costs a hash, and who pays is looked up several times for each unit. */
const known = new Map<AccountId, string>();

/**
 * Where the state holds an account: the first two bytes of its id, which are its shard, and the last
 * 30 of a hash. Other objects are held under their ids. Anyone can pay to any id, also to one that
 * is an object's or will be; so the two must not share a place.
 */
export function accountKey(account: AccountId): string {
  return known.get(account) ??
    remember(account, taggedHash(ACCOUNT_KEY_TAG, idBytes(account)));
}

/** Keys of many accounts, in order, at a fraction of the cost of one at a time. */
export function accountKeys(accounts: readonly AccountId[]): string[] {
  const fresh = accounts.filter((account) => !known.has(account));
  const hashes = taggedHashMany(ACCOUNT_KEY_TAG, fresh.map(idBytes));
  let next = 0;
  // One that was known may be forgotten meanwhile.
  return accounts.map((account) =>
    account === fresh[next] ? remember(account, hashes[next++] as Uint8Array) : accountKey(account)
  );
}

function remember(account: AccountId, hash: Uint8Array): string {
  const key = account.slice(0, 4) + toHex(hash).slice(4);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(account, key);
  return key;
}
