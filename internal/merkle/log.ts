/**
 * The Merkle tree of RFC 6962 §2.1 over a list that is at hand whole: hashes, root, proofs. A leaf is
 * data, hashed with the prefix 0x00; an inner node has the prefix 0x01.
 */
import { sha256Many, sha256Pairs } from "#internal/crypto/mod.ts";
import { EMPTY_ROOT, LEAF_PREFIX_BYTES, NODE_PREFIX } from "./log_hash.ts";
import { MerkleLog } from "./merkle_log.ts";

/** Root of the log of these leaves. */
export function logRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return logRootOfHashes(sha256Many(LEAF_PREFIX_BYTES, leaves));
}

/**
 * As {@link logRoot}, for who has the leaves' hashes. They may also be the roots over 2^k leaves each,
 * the last over as many or fewer.
 */
export function logRootOfHashes(hashes: readonly Uint8Array[]): Uint8Array {
  let level = hashes;
  while (level.length > 1) level = levelAbove(level);
  return (level[0] ?? EMPTY_ROOT).slice();
}

/** Pairing level by level and carrying an odd last node up gives RFC 6962's tree exactly. */
function levelAbove(level: readonly Uint8Array[]): readonly Uint8Array[] {
  const odd = level.length % 2 === 1 ? level[level.length - 1] : undefined;
  const above = sha256Pairs(NODE_PREFIX, odd === undefined ? level : level.slice(0, -1));
  if (odd !== undefined) above.push(odd);
  return above;
}

/**
 * Inclusion proof of the leaf at `index`: RFC 6962's PATH, sibling hashes from the leaf up.
 * @throws {RangeError} when there is no such leaf.
 */
export function logInclusionProof(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  return logPathOfHashes(sha256Many(LEAF_PREFIX_BYTES, leaves), index);
}

/** As {@link logInclusionProof}, for who has hashes as {@link logRootOfHashes} takes them. */
export function logPathOfHashes(hashes: readonly Uint8Array[], index: number): Uint8Array[] {
  if (!Number.isSafeInteger(index) || index < 0 || index >= hashes.length) {
    throw new RangeError(
      `Cannot prove inclusion: index ${index} is outside a log of ${hashes.length}`,
    );
  }
  const path: Uint8Array[] = [];
  let level = hashes;
  for (let at = index; level.length > 1; at = Math.floor(at / 2)) {
    const sibling = level[at % 2 === 0 ? at + 1 : at - 1];
    if (sibling !== undefined) path.push(sibling.slice());
    level = levelAbove(level);
  }
  return path;
}

/**
 * Consistency proof from the log of the first `oldSize` leaves to the whole: RFC 6962's PROOF. Empty
 * when `oldSize` is 0 or the whole.
 * @throws {RangeError} when `oldSize` is beyond the leaves.
 */
export function logConsistencyProof(leaves: readonly Uint8Array[], oldSize: number): Uint8Array[] {
  const log = new MerkleLog();
  for (const leaf of leaves) log.append(leaf);
  return log.proveConsistency(oldSize);
}
