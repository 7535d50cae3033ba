/**
 * The Merkle tree of RFC 6962 §2.1 over a list that is at hand whole: hashes, root, proofs. A leaf is
 * data, hashed with the prefix 0x00; an inner node has the prefix 0x01.
 */
import { sha256Many, sha256Pairs } from "#internal/crypto/mod.ts";
import { EMPTY_ROOT, LEAF_PREFIX_BYTES, NODE_PREFIX } from "./log_hash.ts";
import { MerkleLog } from "./merkle_log.ts";

/** Root of the log of these leaves. */
export function logRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return EMPTY_ROOT.slice();
  // Pairing level by level and carrying an odd last node up gives RFC 6962's tree exactly.
  let level = sha256Many(LEAF_PREFIX_BYTES, leaves);
  while (level.length > 1) {
    const odd = level.length % 2 === 1 ? level[level.length - 1] : undefined;
    const next = sha256Pairs(NODE_PREFIX, odd === undefined ? level : level.slice(0, -1));
    if (odd !== undefined) next.push(odd);
    level = next;
  }
  return (level[0] as Uint8Array).slice();
}

/**
 * Inclusion proof of the leaf at `index`: RFC 6962's PATH, sibling hashes from the leaf up.
 * @throws {RangeError} when there is no such leaf.
 */
export function logInclusionProof(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  return logOf(leaves).proveInclusion(index);
}

/**
 * Consistency proof from the log of the first `oldSize` leaves to the whole: RFC 6962's PROOF. Empty
 * when `oldSize` is 0 or the whole.
 * @throws {RangeError} when `oldSize` is beyond the leaves.
 */
export function logConsistencyProof(leaves: readonly Uint8Array[], oldSize: number): Uint8Array[] {
  return logOf(leaves).proveConsistency(oldSize);
}

function logOf(leaves: readonly Uint8Array[]): MerkleLog {
  const log = new MerkleLog();
  for (const leaf of leaves) log.append(leaf);
  return log;
}
