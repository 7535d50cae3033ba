/** Checks of log proofs, by RFC 9162 §2.1.3.2 and §2.1.4.2. Untrusted input: false, never a throw. */
import { equalBytes } from "#internal/core/mod.ts";
import { HASH_BYTES } from "#internal/crypto/mod.ts";
import { EMPTY_ROOT, leafHash, nodeHash } from "./log_hash.ts";

/** Whether the proof shows `leafData` at `index` of the log with that root and size. */
export function verifyLogInclusion(
  root: Uint8Array,
  size: bigint | number,
  index: bigint | number,
  leafData: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  return verifyLogInclusionOfHash(root, size, index, leafHash(leafData), proof);
}

/** As {@link verifyLogInclusion}, for who has the leaf's hash and not its data. */
export function verifyLogInclusionOfHash(
  root: Uint8Array,
  size: bigint | number,
  index: bigint | number,
  hashOfLeaf: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  const total = asSize(size);
  const at = asSize(index);
  if (total === undefined || at === undefined || at >= total) return false;
  if (hashOfLeaf.length !== HASH_BYTES || !areHashes(proof)) return false;
  const walk = new PathWalk(at, total - 1n);
  let hash = hashOfLeaf;
  for (const sibling of proof) {
    if (walk.atTop) return false;
    hash = walk.siblingIsLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
    walk.up();
  }
  return walk.atTop && equalBytes(hash, root);
}

/**
 * Whether the proof shows that the new log begins with all of the old one. From size 0 and between
 * equal sizes the only valid proof is the empty one.
 */
export function verifyLogConsistency(
  oldRoot: Uint8Array,
  oldSize: bigint | number,
  newRoot: Uint8Array,
  newSize: bigint | number,
  proof: readonly Uint8Array[],
): boolean {
  const before = asSize(oldSize);
  const after = asSize(newSize);
  if (before === undefined || after === undefined || before > after) return false;
  if (!areHashes(proof)) return false;
  if (before === after) {
    const shape = after > 0n || equalBytes(newRoot, EMPTY_ROOT);
    return shape && proof.length === 0 && equalBytes(oldRoot, newRoot);
  }
  if (before === 0n) return proof.length === 0 && equalBytes(oldRoot, EMPTY_ROOT);

  // A whole subtree as the old log is its own first node, which the proof then leaves out.
  const path = isPowerOfTwo(before) ? [oldRoot, ...proof] : proof;
  const [first, ...rest] = path;
  if (first === undefined) return false;
  const walk = new PathWalk(before - 1n, after - 1n);
  walk.skipRightEdges();
  let oldHash = first;
  let newHash = first;
  for (const sibling of rest) {
    if (walk.atTop) return false;
    if (walk.siblingIsLeft) {
      oldHash = nodeHash(sibling, oldHash);
      newHash = nodeHash(sibling, newHash);
    } else {
      newHash = nodeHash(newHash, sibling);
    }
    walk.up();
  }
  return walk.atTop && equalBytes(oldHash, oldRoot) && equalBytes(newHash, newRoot);
}

/** RFC 9162's `fn` and `sn`: the node's place in its level, and the level's last place. */
class PathWalk {
  #node: bigint;
  #last: bigint;

  constructor(node: bigint, last: bigint) {
    this.#node = node;
    this.#last = last;
  }

  get atTop(): boolean {
    return this.#last === 0n;
  }

  /** A right child, or the last of its level, which rises until it is one. */
  get siblingIsLeft(): boolean {
    return this.#isRight || this.#node === this.#last;
  }

  up(): void {
    if (this.siblingIsLeft) { while (!this.#isRight && this.#node !== 0n) this.#shift(); }
    this.#shift();
  }

  skipRightEdges(): void {
    while (this.#isRight) this.#shift();
  }

  get #isRight(): boolean {
    return (this.#node & 1n) === 1n;
  }

  #shift(): void {
    this.#node >>= 1n;
    this.#last >>= 1n;
  }
}

/** A whole number of at least 0, or `undefined`. */
function asSize(value: bigint | number): bigint | undefined {
  if (typeof value === "number" && !Number.isSafeInteger(value)) return undefined;
  const size = BigInt(value);
  return size < 0n ? undefined : size;
}

function areHashes(proof: readonly Uint8Array[]): boolean {
  return proof.every((hash) => hash.length === HASH_BYTES);
}

function isPowerOfTwo(size: bigint): boolean {
  return (size & (size - 1n)) === 0n;
}
