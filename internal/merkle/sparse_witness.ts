/**
 * A part of a sparse Merkle tree that is enough to read, prove absent and write some keys, and to
 * compute the root before and after.
 */
import { equalBytes } from "#internal/core/mod.ts";
import type { Node } from "./_sparse_node.ts";
import { hashOf } from "./_sparse_node.ts";
import { splitAtBit } from "./sparse_hash.ts";

/** A tree of which a part is known, its bytes not to be changed; a `stub` stands for any subtree that is not empty. */
export type SparseWitness =
  | { readonly type: "empty" }
  | { readonly type: "branch"; readonly left: SparseWitness; readonly right: SparseWitness }
  | {
    readonly type: "leaf";
    readonly key: Uint8Array;
    readonly valueHash: Uint8Array;
    /** The key is one of those that were asked for: no mere neighbour. */
    readonly wanted: boolean;
  }
  | { readonly type: "stub"; readonly hash: Uint8Array };

/** The nodes that a witness shows. */
export function nodeOfWitness(witness: SparseWitness): Node | undefined {
  switch (witness.type) {
    case "empty":
      return undefined;
    case "leaf":
      return {
        kind: "leaf",
        key: witness.key,
        valueHash: witness.valueHash,
        hash: undefined,
      };
    case "stub":
      return { kind: "stub", hash: witness.hash };
    case "branch":
      return {
        kind: "branch",
        left: nodeOfWitness(witness.left),
        right: nodeOfWitness(witness.right),
        hash: undefined,
      };
  }
}

/** Number of leaves under a node that are known. */
export function countLeaves(node: Node | undefined): number {
  if (node === undefined || node.kind === "stub") return 0;
  return node.kind === "leaf" ? 1 : countLeaves(node.left) + countLeaves(node.right);
}

/**
 * The part of a hashed tree that the keys' paths go through.
 * @param keys ascending, once each.
 */
export function witnessOf(root: Node | undefined, keys: readonly Uint8Array[]): SparseWitness {
  const visit = (
    node: Node | undefined,
    depth: number,
    from: number,
    to: number,
  ): SparseWitness => {
    if (node === undefined) return { type: "empty" };
    if (from === to || node.kind === "stub") return { type: "stub", hash: hashOf(node) };
    if (node.kind === "leaf") {
      const { key, valueHash } = node;
      let wanted = false;
      for (let i = from; i < to; i++) wanted ||= equalBytes(keys[i] as Uint8Array, key);
      return { type: "leaf", key, valueHash, wanted };
    }
    const middle = splitAtBit((i) => keys[i] as Uint8Array, depth, from, to);
    const left = visit(node.left, depth + 1, from, middle);
    return { type: "branch", left, right: visit(node.right, depth + 1, middle, to) };
  };
  return visit(root, 0, 0, keys.length);
}
