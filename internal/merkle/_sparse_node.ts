/** The nodes of a sparse Merkle tree in memory, and their hashes. */
import { SionError } from "#internal/core/mod.ts";
import { sha256Pairs } from "#internal/crypto/mod.ts";
import type { SparseLeaf } from "./sparse_hash.ts";
import { BRANCH_PREFIX, EMPTY_HASH, LEAF_PREFIX } from "./sparse_hash.ts";

/** A key with its value hash; stands for the whole subtree that holds only it. */
export interface Leaf extends SparseLeaf {
  readonly kind: "leaf";
  hash: Uint8Array | undefined;
}

/** Two subtrees. */
export interface Branch {
  readonly kind: "branch";
  readonly left: Node | undefined;
  readonly right: Node | undefined;
  hash: Uint8Array | undefined;
}

/** A subtree of which only the hash is known. */
export interface Stub {
  readonly kind: "stub";
  readonly hash: Uint8Array;
}

/** A node; `undefined` stands for an empty subtree. */
export type Node = Leaf | Branch | Stub;

/** `witness`: what is needed is in a part of the tree that is not known. */
export type WitnessErrorCode = "witness";

/** The error of what needs to look into a stub. */
export function unknownPart(what: string): SionError<WitnessErrorCode> {
  return new SionError("witness", `Cannot ${what}: this part of the tree is not in the witness`);
}

/** Nodes hashed in one call. */
const HASHED_AT_ONCE = 512;

/** Hashes all nodes under `root` that have no hash yet, in batches from the bottom up. */
export function hashNodes(root: Node | undefined): void {
  const ranks: (Leaf | Branch)[][] = [];
  /** Rank 0 waits for nothing, rank n for one of rank n - 1; -1 has its hash. */
  const collect = (node: Node | undefined): number => {
    if (node === undefined || node.kind === "stub" || node.hash !== undefined) return -1;
    const rank = node.kind === "leaf"
      ? 0
      : 1 + Math.max(0, collect(node.left), collect(node.right));
    while (ranks.length <= rank) ranks.push([]);
    ranks[rank]?.push(node);
    return rank;
  };
  collect(root);
  for (const [rank, nodes] of ranks.entries()) {
    // In batches, so that their arrays are short-lived and small.
    for (let from = 0; from < nodes.length; from += HASHED_AT_ONCE) {
      hashBatch(nodes.slice(from, from + HASHED_AT_ONCE), rank);
    }
  }
}

/** Hashes nodes of one rank, whose children have their hashes. */
function hashBatch(nodes: readonly (Leaf | Branch)[], rank: number): void {
  const pairs: Uint8Array[] = [];
  for (const node of nodes) {
    if (node.kind === "leaf") pairs.push(node.key, node.valueHash);
    else pairs.push(hashOf(node.left), hashOf(node.right));
  }
  const hashes = sha256Pairs(rank === 0 ? LEAF_PREFIX : BRANCH_PREFIX, pairs);
  for (let i = 0; i < nodes.length; i++) (nodes[i] as Leaf | Branch).hash = hashes[i];
}

/** The hash of a node that `hashNodes` met. Shared: not to be changed. */
export function hashOf(node: Node | undefined): Uint8Array {
  if (node === undefined) return EMPTY_HASH;
  if (node.hash === undefined) throw new TypeError("Cannot read a node's hash before it is made");
  return node.hash;
}
