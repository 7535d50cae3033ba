/**
 * What a Pulse did to one shard: where it began, what was executed there, what it sent to accounts
 * and received, where it ended. A World Proof re-verifies one such leaf a shard.
 */
import type { Codec, Digest } from "#internal/core/mod.ts";
import { bytes32, encode, fixedBytes, id, list, struct, u16, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { logRoot } from "#internal/merkle/mod.ts";
import type { Receipt } from "./receipt.ts";
import type { LedgerState } from "./state.ts";
import { shardOf } from "./state.ts";

const LEAF_TAG = "sion/leaf/v1";
const CREDITS_TAG = "sion/credits/v1";
const EXECUTED_TAG = "sion/executed/v1";

/** Hashes over what happened in one shard in one Pulse. */
export interface ShardLeaf {
  readonly shard: number;
  /** The shard's tree before the Pulse. */
  readonly pre: Uint8Array;
  /** Over the digests of the transactions and void slots of the shard's accounts, in certified order. */
  readonly executed: Uint8Array;
  /** Over the credits they made, in certified order. */
  readonly creditsOut: Uint8Array;
  /** Over the credits to the shard's accounts, in certified order. */
  readonly creditsIn: Uint8Array;
  /** The shard's tree after the Pulse. */
  readonly post: Uint8Array;
}

/** Money on its way to an account; it arrives at the end of the Pulse. */
export interface Credit {
  /** The transaction that gave it. */
  readonly from: Digest;
  readonly account: string;
  readonly asset: string;
  readonly amount: bigint;
}

const CREDIT_BYTES = 32 + 32 + 32 + 8;
const creditCodec: Codec<Credit> = struct({ from: id, account: id, asset: id, amount: u64 });
/** Far above what blocks can hold in one Pulse. */
const MAX_LISTED = 0xffff_ffff;
/** A list of credits, each encoded already: every credit is in two of them. */
const creditsCodec = list(fixedBytes(CREDIT_BYTES), MAX_LISTED);
const digestsCodec = list(id, MAX_LISTED);

/** The encoding of a leaf. */
export const shardLeafCodec: Codec<ShardLeaf> = struct({
  shard: u16,
  pre: bytes32,
  executed: bytes32,
  creditsOut: bytes32,
  creditsIn: bytes32,
  post: bytes32,
});

/** Hash over credits in order, given the encoding of each. */
function creditsHash(encoded: readonly Uint8Array[]): Uint8Array {
  return taggedHash(CREDITS_TAG, encode(creditsCodec, encoded));
}

/** The encoding of a credit. */
function encodeCredit(credit: Credit): Uint8Array {
  return encode(creditCodec, credit);
}

/** Hash over digests in order. */
function executedHash(digests: readonly Digest[]): Uint8Array {
  return taggedHash(EXECUTED_TAG, encode(digestsCodec, digests));
}

/** RFC 6962 root over the leaves, one a shard, in order. */
export function leavesRoot(leaves: readonly ShardLeaf[]): Uint8Array {
  return logRoot(leaves.map((leaf) => taggedHash(LEAF_TAG, encode(shardLeafCodec, leaf))));
}

/** What a transaction or void slot of a Pulse leaves in its shard's leaf. */
export interface Executed {
  readonly receipt: Receipt;
  readonly credits: readonly Credit[];
}

/** The leaves of a Pulse that led from one state to another, given what it executed, in order. */
export function shardLeaves(
  before: LedgerState,
  after: LedgerState,
  executed: readonly Executed[],
): ShardLeaf[] {
  const shards = before.shards.length;
  const digests = before.shards.map((): string[] => []);
  const out = before.shards.map((): Uint8Array[] => []);
  const into = before.shards.map((): Uint8Array[] => []);
  for (const { receipt, credits } of executed) {
    const from = shardOf(receipt.account, shards);
    digests[from]?.push(receipt.digest);
    for (const credit of credits) {
      const bytes = encodeCredit(credit);
      out[from]?.push(bytes);
      into[shardOf(credit.account, shards)]?.push(bytes);
    }
  }
  return before.shards.map((tree, shard) => ({
    shard,
    pre: tree.root(),
    executed: executedHash(digests[shard] ?? []),
    creditsOut: creditsHash(out[shard] ?? []),
    creditsIn: creditsHash(into[shard] ?? []),
    post: (after.shards[shard] ?? tree).root(),
  }));
}
