/**
 * A block's header: the only thing a validator ever signs, once a round. It holds the roots of the
 * block's body and of its statements, so one signature speaks for all of them.
 */
import type { Codec } from "#internal/core/mod.ts";
import { bytes32, encode, list, struct, u32, u64, u8 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { logRoot } from "#internal/merkle/mod.ts";

/** Version of all formats of this protocol: blocks, headers, messages and stored records. */
export const FORMAT_VERSION = 4;
/** Parents that a block may name. */
export const MAX_PARENTS = 128;

const BLOCK_TAG = "sion/block/v1";
const STATEMENT_TAG = "sion/statement/v1";

/** Names a block: its place and its id. */
export interface BlockRef {
  readonly round: number;
  /** Index into the session's committee. */
  readonly author: number;
  /** The block's id: the digest of its header. */
  readonly id: Uint8Array;
}

/** Link of a validator's hash chain, which feeds the beacon. */
export interface ChainLink {
  /** The link of the block's window. */
  readonly value: Uint8Array;
  /** Commitment to the author's next chain. */
  readonly next: Uint8Array;
}

/** What a validator signs. */
export interface BlockHeader {
  readonly version: number;
  /** Chain identity. */
  readonly chain: Uint8Array;
  readonly session: number;
  /** Rounds count from 1. */
  readonly round: number;
  /** Index into the session's committee. */
  readonly author: number;
  /** The author's own last block first, a quorum of the round before, late blocks of others. */
  readonly parents: readonly BlockRef[];
  /** The author's clock, milliseconds since the Unix epoch. */
  readonly timeMs: bigint;
  readonly link: ChainLink;
  /** Hash of the body. */
  readonly bodyRoot: Uint8Array;
  /** RFC 6962 root over the statements' leaves. */
  readonly statementsRoot: Uint8Array;
}

export const blockRefCodec: Codec<BlockRef> = struct({ round: u32, author: u8, id: bytes32 });

const version = { version: u8 };
const fields = {
  session: u32,
  round: u32,
  author: u8,
  parents: list(blockRefCodec, MAX_PARENTS),
  timeMs: u64,
  link: struct({ value: bytes32, next: bytes32 }),
  bodyRoot: bytes32,
  statementsRoot: bytes32,
};

export const blockHeaderCodec: Codec<BlockHeader> = struct({
  ...version,
  chain: bytes32,
  ...fields,
});

/** A header whose chain is that of what it stands in. */
export type ChainlessHeader = Omit<BlockHeader, "chain">;

export const chainlessHeaderCodec: Codec<ChainlessHeader> = struct({ ...version, ...fields });

/** The id of a block, which is also the digest that its author signs. */
export function blockId(header: BlockHeader): Uint8Array {
  return taggedHash(BLOCK_TAG, encode(blockHeaderCodec, header));
}

/** What the statements root has as a leaf: the hash of a statement's tag and fields. */
export function statementLeaf(encoded: Uint8Array): Uint8Array {
  return taggedHash(STATEMENT_TAG, encoded);
}

/** RFC 6962 root over statements, given their encodings (tag and fields) in the block's order. */
export function statementsRoot(encoded: readonly Uint8Array[]): Uint8Array {
  return logRoot(encoded.map(statementLeaf));
}
