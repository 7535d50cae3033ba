/** RFC 6962 trees, written from the RFC: roots of a list, and a log that grows from its peaks. */
import { equalBytes } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { fail } from "./error.ts";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE, left, right);
}

/** A log known by its size and the roots of its perfect subtrees, the largest first. */
export interface Log {
  readonly size: bigint;
  readonly peaks: readonly Uint8Array[];
}

/** The log of nothing. */
export const EMPTY_LOG: Log = { size: 0n, peaks: [] };

/** A log's peaks are as many as its size has binary ones. @throws {SionError} `witness` if not. */
export function logOf(size: bigint, peaks: readonly Uint8Array[]): Log {
  let ones = 0;
  for (let rest = size; rest > 0n; rest >>= 1n) ones += Number(rest & 1n);
  if (ones !== peaks.length) fail("witness", "the knowledge log's peaks do not fit its size");
  return { size, peaks };
}

/** The log with one entry more: as many peaks merge as the size ends in binary ones. */
export function append(log: Log, data: Uint8Array): Log {
  const peaks = [...log.peaks];
  let node = sha256(LEAF, data);
  for (let rest = log.size; (rest & 1n) === 1n; rest >>= 1n) {
    node = nodeHash(peaks.pop() as Uint8Array, node);
  }
  peaks.push(node);
  return { size: log.size + 1n, peaks };
}

/** The root: peaks joined from the smallest on; of nothing it is SHA-256 of nothing. */
export function rootOf(log: Log): Uint8Array {
  const peaks = [...log.peaks];
  let root = peaks.pop();
  if (root === undefined) return sha256();
  while (peaks.length > 0) root = nodeHash(peaks.pop() as Uint8Array, root);
  return root;
}

/** The greatest power of two below a size greater than 1: where the RFC splits a tree. */
export function leftSize(size: bigint): bigint {
  let left = 1n;
  while (2n * left < size) left *= 2n;
  return left;
}

/**
 * The root to which an entry leads with its path, the RFC's PATH, or null if the path has more or
 * fewer hashes than an entry at that place has.
 * @param index from 0, below `size`, the number of entries.
 */
export function rootByPath(
  data: Uint8Array,
  { index, size, path }: {
    readonly index: bigint;
    readonly size: bigint;
    readonly path: readonly Uint8Array[];
  },
): Uint8Array | null {
  if (size === 1n) return path.length === 0 ? sha256(LEAF, data) : null;
  const beside = path.at(-1);
  if (beside === undefined) return null;
  const left = leftSize(size);
  const below = path.slice(0, -1);
  if (index < left) {
    const child = rootByPath(data, { index, size: left, path: below });
    return child && nodeHash(child, beside);
  }
  const child = rootByPath(data, { index: index - left, size: size - left, path: below });
  return child && nodeHash(beside, child);
}

/** The root over a whole list. */
export function rootOfList(entries: readonly Uint8Array[]): Uint8Array {
  let log: Log = EMPTY_LOG;
  for (const entry of entries) log = append(log, entry);
  return rootOf(log);
}

/**
 * Whether an RFC 6962 path leads from an entry at its place to a root.
 * @param path hashes beside the way from the leaf up.
 */
export function leadsTo(
  root: Uint8Array,
  data: Uint8Array,
  place: { readonly index: number; readonly count: number },
  path: readonly Uint8Array[],
): boolean {
  if (place.index >= place.count) return false;
  const at = { index: BigInt(place.index), size: BigInt(place.count), path };
  const reached = rootByPath(data, at);
  return reached !== null && equalBytes(reached, root);
}
