/** How a kept file is cut into the leaves of its tree: docs/protocol/storage.md, "Data". */

/** Bytes of every leaf but the last. */
export const LEAF_BYTES = 1024;
/** The most hashes beside the way from a leaf to the root. */
export const MAX_LEAF_PATH = 40;
/** Bytes of the largest file that a deal can be about. */
export const MAX_KEPT_BYTES: bigint = BigInt(LEAF_BYTES) << BigInt(MAX_LEAF_PATH);

/** Number of leaves of a file. */
export function leafCount(size: bigint): bigint {
  return (size + BigInt(LEAF_BYTES) - 1n) / BigInt(LEAF_BYTES);
}

/** Bytes of a leaf that the file has. */
export function leafLength(size: bigint, index: bigint): number {
  const left = size - index * BigInt(LEAF_BYTES);
  return left < BigInt(LEAF_BYTES) ? Number(left) : LEAF_BYTES;
}
