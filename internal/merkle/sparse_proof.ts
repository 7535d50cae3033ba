/** Proofs of one key of a sparse Merkle tree, present or absent. */
import { equalBytes } from "#internal/core/mod.ts";
import { HASH_BYTES } from "#internal/crypto/mod.ts";
import type { SparseLeaf } from "./sparse_hash.ts";
import {
  EMPTY_HASH,
  KEY_BITS,
  KEY_BYTES,
  keyBit,
  samePrefix,
  sparseBranchHash,
  sparseLeafHash,
} from "./sparse_hash.ts";

/** The hashes beside a key's path, and what stands at its end when that is another key's leaf. */
export interface SparseProof {
  /** From the root down; their number is the depth at which the path ends. */
  readonly siblings: readonly Uint8Array[];
  /** For absence: the leaf of another key in whose subtree the key would be. */
  readonly leaf?: SparseLeaf;
}

/**
 * Whether the proof shows that under this root the key has that value hash, or is absent when it is
 * `undefined`. Untrusted input gives false, never a throw.
 */
export function verifySparse(
  root: Uint8Array,
  key: Uint8Array,
  valueHash: Uint8Array | undefined,
  proof: SparseProof,
): boolean {
  const { siblings, leaf } = proof;
  if (key.length !== KEY_BYTES || siblings.length > KEY_BITS) return false;
  if (!siblings.every((hash) => hash.length === HASH_BYTES)) return false;
  let hash = endHash(key, valueHash, leaf, siblings.length);
  if (hash === undefined) return false;
  for (let depth = siblings.length - 1; depth >= 0; depth--) {
    const sibling = siblings[depth] as Uint8Array;
    hash = keyBit(key, depth) === 1
      ? sparseBranchHash(sibling, hash)
      : sparseBranchHash(hash, sibling);
  }
  return equalBytes(hash, root);
}

/** Hash of what stands at the path's end, or `undefined` when it shows nothing of the key. */
function endHash(
  key: Uint8Array,
  valueHash: Uint8Array | undefined,
  other: SparseLeaf | undefined,
  depth: number,
): Uint8Array | undefined {
  if (valueHash !== undefined) {
    if (valueHash.length !== HASH_BYTES || other !== undefined) return undefined;
    return sparseLeafHash({ key, valueHash });
  }
  if (other === undefined) return EMPTY_HASH;
  if (other.key.length !== KEY_BYTES || other.valueHash.length !== HASH_BYTES) return undefined;
  // Another key's leaf says nothing unless it stands for the very subtree the key belongs to.
  if (equalBytes(other.key, key) || !samePrefix(other.key, key, depth)) return undefined;
  return sparseLeafHash(other);
}
