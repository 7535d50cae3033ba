/**
 * The tree over a file that is kept, in the memory of one block: its root while its bytes pass by, and
 * what shows a leaf. docs/protocol/storage.md, "Data".
 */
import { toHex } from "#internal/core/mod.ts";
import type { LogPeaks } from "#internal/merkle/mod.ts";
import {
  EMPTY_LOG,
  logAppendHash,
  logInclusionProof,
  logPathOfHashes,
  logPeaksRoot,
  logRoot,
} from "#internal/merkle/mod.ts";
import type { ShownLeaf } from "./challenge.ts";
import { LEAF_BYTES } from "./file_leaves.ts";

/**
 * Leaves that are hashed at once, a power of two: who keeps the roots over blocks shows a leaf from
 * its block alone.
 */
const BLOCK_LEAVES = 1024;
/** Bytes of a block; the last one of a file may have fewer. */
export const BLOCK_BYTES: number = BLOCK_LEAVES * LEAF_BYTES;

/** Finds the root of a file whose bytes come in pieces of any length. */
export class FileHasher {
  readonly #block = new Uint8Array(BLOCK_BYTES);
  readonly #onBlock: (root: Uint8Array) => void;
  #filled = 0;
  #before = 0;
  #log: LogPeaks = EMPTY_LOG;

  /** @param onBlock is given the root over each block, in order: 32 bytes. @default nobody */
  constructor(onBlock: (root: Uint8Array) => void = () => {}) {
    this.#onBlock = onBlock;
  }

  /** Bytes so far. */
  get size(): number {
    return this.#before + this.#filled;
  }

  add(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length;) {
      const part = bytes.subarray(from, from + BLOCK_BYTES - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled === BLOCK_BYTES) this.#endBlock();
    }
  }

  /** The root over all bytes: 64 hex digits. Nothing can be added afterwards. */
  end(): string {
    if (this.#filled > 0) this.#endBlock();
    return toHex(logPeaksRoot(this.#log));
  }

  #endBlock(): void {
    const root = logRoot(leavesOf(this.#block.subarray(0, this.#filled)));
    this.#log = logAppendHash(this.#log, root);
    this.#onBlock(root);
    this.#before += this.#filled;
    this.#filled = 0;
  }
}

/** The block that a leaf is in. */
export function blockOf(place: bigint): number {
  return Number(place / BigInt(BLOCK_LEAVES));
}

/**
 * A leaf with its path.
 * @param roots the roots over all blocks of the file
 * @param block the bytes of the block that the leaf is in
 * @throws {RangeError} when there is no such leaf.
 */
export function showLeaf(
  roots: readonly Uint8Array[],
  block: Uint8Array,
  place: bigint,
): ShownLeaf {
  const leaves = leavesOf(block);
  const within = Number(place % BigInt(BLOCK_LEAVES));
  const path = [
    ...logInclusionProof(leaves, within),
    ...logPathOfHashes(roots, blockOf(place)),
  ];
  return { data: (leaves[within] as Uint8Array).slice(), path: path.map(toHex) };
}

function leavesOf(block: Uint8Array): Uint8Array[] {
  const leaves: Uint8Array[] = [];
  for (let from = 0; from < block.length; from += LEAF_BYTES) {
    leaves.push(block.subarray(from, from + LEAF_BYTES));
  }
  return leaves;
}
