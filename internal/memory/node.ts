/**
 * Nodes of a memory log's tree and their hashes: RFC 6962's shape, each node with its size and with
 * the bounds of the atoms below it in its hash.
 */
import type { Codec } from "#internal/core/mod.ts";
import { bytes32, encode, struct, toHex, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { atomDigest, boundsOf, decodeAtom } from "./atom.ts";
import type { Bounds } from "./bounds.ts";
import { boundsCodec, joinBounds } from "./bounds.ts";

const NODE_TAG = "sion/memory/v1";
const PAIR_TAG = "sion/memory-pair/v1";

/** The most atoms of a log: 2⁴⁰. */
export const MAX_LOG_ATOMS = 2 ** 40;
/** The most nodes from a log's root down to an atom, and of a proof that a log grew. */
export const MAX_PATH = 41;

/** A node, without its place: what a proof shows of a subtree that it leaves closed. */
export interface MemoryNode {
  readonly bounds: Bounds;
  /** Of a leaf the atom's id; else a hash of the hashes of both children. 32 bytes. */
  readonly content: Uint8Array;
}

/** A node with the number of atoms below it, which its place in the tree decides. */
export interface SizedNode extends MemoryNode {
  readonly size: number;
}

/** How far a log has come. */
export interface MemoryHead {
  /** Atoms in the log. */
  readonly size: bigint;
  /** Hash of the tree's root: 64 hex digits. */
  readonly root: string;
}

/** The encoding of a node in proofs. */
export const memoryNodeCodec: Codec<MemoryNode> = struct({
  bounds: boundsCodec,
  content: bytes32,
});

/** The hash of a node: 32 bytes. */
export function memoryNodeHash({ size, bounds, content }: SizedNode): Uint8Array {
  return taggedHash(NODE_TAG, encode(u64, BigInt(size)), encode(boundsCodec, bounds), content);
}

/** Root of the log without atoms. Shared: never to be changed. */
const EMPTY_MEMORY_ROOT: Uint8Array = taggedHash(NODE_TAG, encode(u64, 0n));

/** The head of the log without atoms. */
export const EMPTY_MEMORY_HEAD: MemoryHead = { size: 0n, root: toHex(EMPTY_MEMORY_ROOT) };

/** The leaf of an atom's bytes. @throws {SionError} `codec` unless they encode one. */
export function memoryLeaf(bytes: Uint8Array): SizedNode {
  return { size: 1, bounds: boundsOf(decodeAtom(bytes)), content: atomDigest(bytes) };
}

/** The node above two others. */
export function joinNodes(left: SizedNode, right: SizedNode): SizedNode {
  return {
    size: left.size + right.size,
    bounds: joinBounds(left.bounds, right.bounds),
    content: taggedHash(PAIR_TAG, memoryNodeHash(left), memoryNodeHash(right)),
  };
}

/** The head of a log whose root is the node; undefined stands for the log without atoms. */
export function headOf(root: SizedNode | undefined): MemoryHead {
  if (root === undefined) return EMPTY_MEMORY_HEAD;
  return { size: BigInt(root.size), root: toHex(memoryNodeHash(root)) };
}
