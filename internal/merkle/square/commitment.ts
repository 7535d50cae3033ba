/**
 * What a data root commits to. Over the square there is one RFC 6962 tree of 512 leaves: the shares
 * row by row, then once more column by column. Its nodes over sixteen leaves are the roots of the rows
 * and of the columns. The data root is a tagged hash of the data's length and the tree's root.
 */
import { encode, equalBytes, u32 } from "#internal/core/mod.ts";
import { HASH_BYTES, sha256Pairs, taggedHash } from "#internal/crypto/mod.ts";
import { leafHash, NODE_PREFIX, nodeHash } from "../log_hash.ts";
import type { Axis } from "./shape.ts";
import { isDataLength, isPlace, shareBytes, SQUARE_SHARES, SQUARE_WIDTH } from "./shape.ts";

const DATA_TAG = "sion/data/v1";

/** Hashes beside a share's path to its row's or column's root: log₂ 16. */
export const AXIS_PATH = 4;
/** Hashes beside a share's path to the root of the tree: log₂ 512. */
export const ROOT_PATH = 9;

/** The contents of a data root, from which every share can be checked. All roots are 32 bytes. */
export interface SquareCommitment {
  /** Bytes of the data, from which the size of the shares follows. */
  readonly dataBytes: number;
  /** From the top down. */
  readonly rowRoots: readonly Uint8Array[];
  /** From the left. */
  readonly columnRoots: readonly Uint8Array[];
}

/** A share with its path to the root of its row or column: to be checked against a commitment. */
export interface ProvenShare {
  readonly row: number;
  readonly column: number;
  readonly share: Uint8Array;
  /** Whether the path goes through the row's root or the column's. */
  readonly through: Axis;
  /** {@link AXIS_PATH} sibling hashes, from the share up. */
  readonly path: readonly Uint8Array[];
}

/** A share with its path to the data root: to be checked against a header alone. */
export interface ShareProof extends Omit<ProvenShare, "path"> {
  readonly dataBytes: number;
  /** {@link ROOT_PATH} sibling hashes, from the share up. */
  readonly path: readonly Uint8Array[];
}

/**
 * The data root: H("sion/data/v1", chain, u32 length of the data, root of the tree).
 * @param chain the chain's identity, 32 bytes.
 */
export function dataRoot(chain: Uint8Array, commitment: SquareCommitment): Uint8Array {
  const top = treeLevels([...commitment.rowRoots, ...commitment.columnRoots]).at(-1)?.[0];
  return rootOver(chain, commitment.dataBytes, top as Uint8Array);
}

/**
 * Whether the commitment is well formed and is what the data root stands for. Untrusted input gives
 * false, never a throw.
 */
export function verifyCommitment(
  root: Uint8Array,
  chain: Uint8Array,
  commitment: SquareCommitment,
): boolean {
  const { dataBytes, rowRoots, columnRoots } = commitment;
  return isDataLength(dataBytes) && areHashes(rowRoots, SQUARE_WIDTH) &&
    areHashes(columnRoots, SQUARE_WIDTH) && equalBytes(dataRoot(chain, commitment), root);
}

/**
 * Whether the share is the one at its place under a commitment, which {@link verifyCommitment}
 * accepted. Untrusted shares give false, never a throw.
 */
export function verifyProvenShare(commitment: SquareCommitment, proven: ProvenShare): boolean {
  if (!isShare(proven, commitment.dataBytes) || !areHashes(proven.path, AXIS_PATH)) return false;
  const { through, row, column } = proven;
  const root = committedRoot(commitment, through, through === "row" ? row : column);
  return equalBytes(climb(proven), root);
}

/**
 * Whether the share is the one at its place under the data root: the check of a sample. Untrusted
 * input gives false, never a throw.
 */
export function verifyShare(root: Uint8Array, chain: Uint8Array, proof: ShareProof): boolean {
  if (!isDataLength(proof.dataBytes) || !isShare(proof, proof.dataBytes)) return false;
  if (!areHashes(proof.path, ROOT_PATH)) return false;
  return equalBytes(rootOver(chain, proof.dataBytes, climb(proof)), root);
}

/** A row's or column's root in a commitment. */
export function committedRoot(
  commitment: SquareCommitment,
  axis: Axis,
  index: number,
): Uint8Array {
  const roots = axis === "row" ? commitment.rowRoots : commitment.columnRoots;
  return roots[index] as Uint8Array;
}

/** All levels of the tree over hashes, a power of two of them: the hashes first, the root last. */
export function treeLevels(hashes: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const levels = [hashes];
  for (let level = hashes; level.length > 1;) {
    level = sha256Pairs(NODE_PREFIX, level);
    levels.push(level);
  }
  return levels;
}

/** The first `length` sibling hashes from a leaf of the tree up. */
export function pathIn(
  levels: readonly (readonly Uint8Array[])[],
  leaf: number,
  length: number,
): Uint8Array[] {
  return levels.slice(0, length)
    .map((level, height) => (level[(leaf >> height) ^ 1] as Uint8Array).slice());
}

/** Where a share stands among the tree's leaves, as part of its row or of its column. */
export function leafAt(row: number, column: number, through: Axis): number {
  return through === "row"
    ? row * SQUARE_WIDTH + column
    : SQUARE_SHARES + column * SQUARE_WIDTH + row;
}

/** The node that a share's path leads to. */
function climb({ row, column, share, through, path }: ProvenShare): Uint8Array {
  const leaf = leafAt(row, column, through);
  return path.reduce(
    (below, sibling, height) =>
      ((leaf >> height) & 1) === 1 ? nodeHash(sibling, below) : nodeHash(below, sibling),
    leafHash(share),
  );
}

function rootOver(chain: Uint8Array, dataBytes: number, top: Uint8Array): Uint8Array {
  return taggedHash(DATA_TAG, chain, encode(u32, dataBytes), top);
}

function isShare({ row, column, share }: Omit<ProvenShare, "path">, dataBytes: number): boolean {
  return isPlace(row) && isPlace(column) && share.length === shareBytes(dataBytes);
}

function areHashes(hashes: readonly Uint8Array[], count: number): boolean {
  return hashes.length === count && hashes.every((hash) => hash.length === HASH_BYTES);
}
