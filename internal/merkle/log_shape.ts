/** The shape of RFC 6962's tree: a list is split at the greatest power of two below its length. */

/** How many of `size` leaves are under the left child: the greatest power of two below `size`; 0 for 1. */
export function logSplit(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return size === 1 ? 0 : split;
}
