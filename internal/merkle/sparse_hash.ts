/**
 * Hashes of the sparse Merkle tree (Jellyfish shape): empty is 32 zero bytes, a leaf is
 * SHA-256(0x00 || key || value hash), a branch SHA-256(0x01 || left || right).
 */
import { compareBytes } from "#internal/core/mod.ts";
import { HASH_BYTES, sha256 } from "#internal/crypto/mod.ts";

/** Bytes of a key. */
export const KEY_BYTES = 32;
/** Bits of a key: the greatest depth. */
export const KEY_BITS = 8 * KEY_BYTES;
/** Prefix of a leaf's hash. */
export const LEAF_PREFIX = 0;
/** Prefix of a branch's hash. */
export const BRANCH_PREFIX = 1;
/** Hash of an empty subtree. Shared: never to be changed. */
export const EMPTY_HASH: Uint8Array = new Uint8Array(HASH_BYTES);

/** A key and the hash of its value. */
export interface SparseLeaf {
  readonly key: Uint8Array;
  readonly valueHash: Uint8Array;
}

const LEAF_PREFIX_BYTES = Uint8Array.of(LEAF_PREFIX);
const BRANCH_PREFIX_BYTES = Uint8Array.of(BRANCH_PREFIX);

/** Hash of a leaf. */
export function sparseLeafHash(leaf: SparseLeaf): Uint8Array {
  return sha256(LEAF_PREFIX_BYTES, leaf.key, leaf.valueHash);
}

/** Hash of a branch. */
export function sparseBranchHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(BRANCH_PREFIX_BYTES, left, right);
}

/** Bit `depth` of a key, the most significant bit of its first byte being bit 0. */
export function keyBit(key: Uint8Array, depth: number): 0 | 1 {
  return (((key[depth >> 3] as number) >> (7 - (depth & 7))) & 1) as 0 | 1;
}

/** Whether two keys agree in their first `depth` bits. */
export function samePrefix(a: Uint8Array, b: Uint8Array, depth: number): boolean {
  const whole = depth >> 3;
  if (compareBytes(a.subarray(0, whole), b.subarray(0, whole)) !== 0) return false;
  const shift = 8 - (depth & 7);
  return shift === 8 || ((a[whole] as number) >> shift) === ((b[whole] as number) >> shift);
}

/**
 * Index of the first of `count` sorted keys from `from` on whose bit `depth` is 1; they agree before
 * that bit. `from + count` when there is none.
 */
export function splitAtBit(
  keyAt: (index: number) => Uint8Array,
  depth: number,
  from: number,
  to: number,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyBit(keyAt(middle), depth) === 1) high = middle;
    else low = middle + 1;
  }
  return low;
}
