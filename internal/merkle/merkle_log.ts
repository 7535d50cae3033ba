/** An append-only RFC 6962 log that keeps every node's hash, so that any proof costs O(log n). */
import { HASH_BYTES } from "#internal/crypto/mod.ts";
import { EMPTY_ROOT, leafHash, nodeHash } from "./log_hash.ts";
import { logSplit } from "./log_shape.ts";

/**
 * A log in memory: about 64 bytes a leaf. Appending costs two hashes on average. Roots and proofs of
 * every earlier size stay available.
 */
export class MerkleLog {
  /** `#levels[k]` holds the hashes of the whole subtrees of 2^k leaves, from the left. */
  readonly #levels: HashColumn[] = [new HashColumn()];

  /** Number of leaves. */
  get size(): bigint {
    return BigInt(this.#count);
  }

  /** Adds a leaf and returns its index. */
  append(leafData: Uint8Array): bigint {
    const index = this.#count;
    let hash = leafHash(leafData);
    this.#column(0).push(hash);
    // Each trailing 1 bit of the index closes a whole subtree.
    for (let k = 0, rest = index; rest % 2 === 1; k++, rest = (rest - 1) / 2) {
      hash = nodeHash(this.#column(k).at(rest - 1), hash);
      this.#column(k + 1).push(hash);
    }
    return BigInt(index);
  }

  /**
   * Root at a size.
   * @default the present size
   * @throws {RangeError} when the size is beyond the log.
   */
  root(atSize: bigint | number = this.#count): Uint8Array {
    const size = this.#sizeOf(atSize);
    return size === 0 ? EMPTY_ROOT.slice() : this.#rangeHash(0, size);
  }

  /**
   * Sibling hashes from the leaf up, as `verifyLogInclusion` takes them.
   * @throws {RangeError} when the log of that size has no such leaf.
   */
  proveInclusion(index: bigint | number, atSize: bigint | number = this.#count): Uint8Array[] {
    const size = this.#sizeOf(atSize);
    const at = Number(index);
    if (!Number.isSafeInteger(at) || at < 0 || at >= size) {
      throw new RangeError(`Cannot prove inclusion: index ${index} is outside a log of ${size}`);
    }
    const path: Uint8Array[] = [];
    let start = 0;
    let end = size;
    while (end - start > 1) {
      const middle = start + logSplit(end - start);
      if (at < middle) {
        path.push(this.#rangeHash(middle, end));
        end = middle;
      } else {
        path.push(this.#rangeHash(start, middle));
        start = middle;
      }
    }
    return path.reverse();
  }

  /**
   * Proof that the log of `newSize` begins with that of `oldSize`; empty when they are equal or
   * `oldSize` is 0.
   * @throws {RangeError} when a size is beyond the log or `oldSize` is the greater.
   */
  proveConsistency(oldSize: bigint | number, newSize: bigint | number = this.#count): Uint8Array[] {
    const after = this.#sizeOf(newSize);
    const before = this.#sizeOf(oldSize);
    if (before > after) {
      throw new RangeError(`Cannot prove consistency: ${before} leaves are more than ${after}`);
    }
    if (before === 0 || before === after) return [];
    const path: Uint8Array[] = [];
    let start = 0;
    let end = after;
    // Down the old log's right edge until a subtree lies in it whole (RFC 6962 SUBPROOF).
    while (before !== end) {
      const middle = start + logSplit(end - start);
      if (before <= middle) {
        path.push(this.#rangeHash(middle, end));
        end = middle;
      } else {
        path.push(this.#rangeHash(start, middle));
        start = middle;
      }
    }
    // The verifier knows the old root: it is left out when that subtree is the whole old log.
    if (start > 0) path.push(this.#rangeHash(start, end));
    return path.reverse();
  }

  get #count(): number {
    return this.#column(0).length;
  }

  #column(level: number): HashColumn {
    return this.#levels[level] ??= new HashColumn();
  }

  /** Root of the leaves from `start` to `end`; `start` is where RFC 6962 would split. */
  #rangeHash(start: number, end: number): Uint8Array {
    const size = end - start;
    const split = logSplit(size);
    if (size === 1 || split * 2 === size) {
      return this.#column(Math.log2(size)).at(start / size);
    }
    return nodeHash(this.#rangeHash(start, start + split), this.#rangeHash(start + split, end));
  }

  #sizeOf(size: bigint | number): number {
    const number = Number(size);
    if (!Number.isSafeInteger(number) || number < 0 || number > this.#count) {
      throw new RangeError(`Cannot look at size ${size}: the log has ${this.#count} leaves`);
    }
    return number;
  }
}

/** A growing list of hashes in one block of memory. */
class HashColumn {
  #bytes = new Uint8Array(16 * HASH_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(hash: Uint8Array): void {
    const offset = this.#length * HASH_BYTES;
    if (offset === this.#bytes.length) {
      const larger = new Uint8Array(2 * offset);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(hash, offset);
    this.#length++;
  }

  /** A copy of the hash at `index`, which must be there. */
  at(index: number): Uint8Array {
    return this.#bytes.slice(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }
}
