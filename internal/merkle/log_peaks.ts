/** An RFC 6962 log kept by its peaks only: what is needed to append and to know the root. */
import { EMPTY_ROOT, leafHash, nodeHash } from "./log_hash.ts";

/**
 * The state of a log in O(log n): its size and the roots of the whole subtrees it splits into, the
 * largest (left) first, one for each 1 bit of the size.
 */
export interface LogPeaks {
  readonly size: bigint;
  readonly peaks: readonly Uint8Array[];
}

/** The log without leaves. */
export const EMPTY_LOG: LogPeaks = { size: 0n, peaks: [] };

/** The log with one more leaf; the one given stays as it is. */
export function logAppend(log: LogPeaks, leafData: Uint8Array): LogPeaks {
  return logAppendHash(log, leafHash(leafData));
}

/**
 * As {@link logAppend}, for who has a leaf's hash. The hash may also be the root over 2^k leaves: then
 * the log's are the perfect subtrees of that size, of which the last may have fewer leaves.
 */
export function logAppendHash(log: LogPeaks, hashOfLeaf: Uint8Array): LogPeaks {
  const peaks = [...log.peaks];
  let hash = hashOfLeaf;
  for (let rest = log.size; (rest & 1n) === 1n; rest >>= 1n) {
    const left = peaks.pop();
    if (left === undefined) {
      throw new TypeError(`Cannot append: a log of ${log.size} has ${log.peaks.length} peaks`);
    }
    hash = nodeHash(left, hash);
  }
  peaks.push(hash);
  return { size: log.size + 1n, peaks };
}

/** Root of the log: RFC 6962's over all its leaves. */
export function logPeaksRoot(log: LogPeaks): Uint8Array {
  const [smallest, ...larger] = log.peaks.toReversed();
  if (smallest === undefined) return EMPTY_ROOT.slice();
  return larger.reduce((root, peak) => nodeHash(peak, root), smallest.slice());
}
