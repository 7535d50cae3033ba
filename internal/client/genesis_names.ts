/**
 * Accounts of the names that every devnet's genesis funds, so that sentences can name them without
 * deriving eight key pairs first. What is derived is the truth; a test compares.
 */
import type { AccountId } from "#internal/core/mod.ts";

/** Wallets of every devnet's genesis, with their accounts under dual signatures. */
export const GENESIS_ACCOUNTS: ReadonlyMap<string, AccountId> = new Map([
  ["alice", "4330c914d91d9cb1001b05796a9348865eb198072c94f0be98e5d008ff23da28"],
  ["bob", "1265aa5a25a4f19f8a746bb8f88a5bd1938019dc89427ebf19f7d6a01589260d"],
  ["carol", "b60b009022c1d5d9d94989a40e1c8bd80169c74c6965b264a2611bf2094e3a7b"],
  ["dana", "b89874279d4a86126ad6d3725f1f373decbf49c3a24047836bc261d7c5c59df8"],
  ["operator-0", "57ec0b15dd1ac031e1888dab3258ba30d0353e0b4535bd1d757023955750e551"],
  ["operator-1", "e521cb9a7d6e1186b415ed9e8bd0339d9e6d5477e76eeb3998682fd91c097ce8"],
  ["operator-2", "bb3cbbf9b718a4067478f026274c5f3800814218959aada0276cf676588ad645"],
  ["operator-3", "e6b8db24eed7dc5469f40920297da4d0123ed2cf417df234a42e56f28b7da952"],
]);

/** Their names. */
export const GENESIS_NAMES: readonly string[] = [...GENESIS_ACCOUNTS.keys()];
