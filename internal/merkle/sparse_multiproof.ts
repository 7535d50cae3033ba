/** Proofs of many keys of a sparse Merkle tree at once. */
import { compareBytes, equalBytes } from "#internal/core/mod.ts";
import { HASH_BYTES } from "#internal/crypto/mod.ts";
import type { SparseLeaf } from "./sparse_hash.ts";
import {
  EMPTY_HASH,
  KEY_BITS,
  KEY_BYTES,
  samePrefix,
  sparseBranchHash,
  sparseLeafHash,
  splitAtBit,
} from "./sparse_hash.ts";

/** What a node on the proven keys' paths is: `proven` is the leaf of one of them. */
export type SparseNodeKind = "empty" | "branch" | "proven" | "other";

/**
 * The part of a tree that the proven keys' paths meet, walked from the root, left before right.
 * Every list is used up in that order.
 */
export interface SparseMultiproof {
  /** The kind of each node under which there are proven keys. */
  readonly shape: readonly SparseNodeKind[];
  /** The hash of each subtree beside the paths. */
  readonly siblings: readonly Uint8Array[];
  /** The leaf of each node of kind `other`. */
  readonly leaves: readonly SparseLeaf[];
}

/** A key with its value hash, `undefined` for absence. */
export type SparseEntry = readonly [key: Uint8Array, valueHash: Uint8Array | undefined];

/**
 * Whether the proof shows all entries under this root. False for a key given twice, for anything
 * left over in the proof, and for an empty list with a proof. Untrusted input never throws.
 */
export function verifySparseMulti(
  root: Uint8Array,
  entries: readonly SparseEntry[],
  proof: SparseMultiproof,
): boolean {
  const sorted = [...entries].sort(([a], [b]) => compareBytes(a, b));
  if (!sorted.every(isWellFormed)) return false;
  for (let i = 1; i < sorted.length; i++) {
    if (equalBytes(keyAt(sorted, i - 1), keyAt(sorted, i))) return false;
  }
  const walk = new Walk(sorted, proof);
  if (sorted.length === 0) return walk.isDone;
  const hash = walk.hashAt(0, 0, sorted.length);
  return hash !== undefined && walk.isDone && equalBytes(hash, root);
}

/** Rebuilds the root from a proof. */
class Walk {
  readonly #entries: readonly SparseEntry[];
  readonly #proof: SparseMultiproof;
  #nodesUsed = 0;
  #siblingsUsed = 0;
  #leavesUsed = 0;

  constructor(entries: readonly SparseEntry[], proof: SparseMultiproof) {
    this.#entries = entries;
    this.#proof = proof;
  }

  get isDone(): boolean {
    return this.#nodesUsed === this.#proof.shape.length &&
      this.#siblingsUsed === this.#proof.siblings.length &&
      this.#leavesUsed === this.#proof.leaves.length;
  }

  /** Hash of the subtree that the entries from `from` to `to` belong to; `undefined`: invalid. */
  hashAt(depth: number, from: number, to: number): Uint8Array | undefined {
    if (from === to) {
      const sibling = this.#proof.siblings[this.#siblingsUsed++];
      return sibling?.length === HASH_BYTES ? sibling : undefined;
    }
    switch (this.#proof.shape[this.#nodesUsed++]) {
      case "empty":
        return this.#absent(from, to, undefined) ? EMPTY_HASH : undefined;
      case "proven":
        return this.#provenLeaf(from, to);
      case "other":
        return this.#otherLeaf(depth, from, to);
      case "branch":
        return this.#branch(depth, from, to);
      default:
        return undefined;
    }
  }

  #branch(depth: number, from: number, to: number): Uint8Array | undefined {
    if (depth === KEY_BITS) return undefined;
    const middle = splitAtBit((i) => keyAt(this.#entries, i), depth, from, to);
    const left = this.hashAt(depth + 1, from, middle);
    const right = left && this.hashAt(depth + 1, middle, to);
    return left && right && sparseBranchHash(left, right);
  }

  /** The one entry here that is present stands for the subtree; the rest are absent by it. */
  #provenLeaf(from: number, to: number): Uint8Array | undefined {
    const here = this.#entries.slice(from, to);
    const index = here.findIndex(([, valueHash]) => valueHash !== undefined);
    const [key, valueHash] = here[index] ?? [];
    if (key === undefined || valueHash === undefined) return undefined;
    return this.#absent(from, to, from + index) ? sparseLeafHash({ key, valueHash }) : undefined;
  }

  #otherLeaf(depth: number, from: number, to: number): Uint8Array | undefined {
    const leaf = this.#proof.leaves[this.#leavesUsed++];
    if (leaf?.key.length !== KEY_BYTES || leaf.valueHash.length !== HASH_BYTES) return undefined;
    if (!samePrefix(leaf.key, keyAt(this.#entries, from), depth)) return undefined;
    for (let i = from; i < to; i++) {
      if (equalBytes(keyAt(this.#entries, i), leaf.key)) return undefined;
    }
    return this.#absent(from, to, undefined) ? sparseLeafHash(leaf) : undefined;
  }

  /** Whether all entries here but the one at `except` are claimed absent. */
  #absent(from: number, to: number, except: number | undefined): boolean {
    for (let i = from; i < to; i++) {
      if (i !== except && (this.#entries[i] as SparseEntry)[1] !== undefined) return false;
    }
    return true;
  }
}

function keyAt(entries: readonly SparseEntry[], index: number): Uint8Array {
  return (entries[index] as SparseEntry)[0];
}

function isWellFormed([key, valueHash]: SparseEntry): boolean {
  return key.length === KEY_BYTES && (valueHash === undefined || valueHash.length === HASH_BYTES);
}
