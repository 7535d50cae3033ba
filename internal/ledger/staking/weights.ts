/** What stakes weigh among the validators of a session. */

/**
 * Voting weights of stakes. From four validators on, stakes are cut to the largest c with
 * 3c < Σ min(stake, c), so that no validator has a third.
 */
export function cutWeights(stakes: readonly bigint[]): bigint[] {
  if (stakes.length < 4) return [...stakes];
  const allowed = (c: bigint): boolean =>
    3n * c < stakes.reduce((sum, stake) => sum + (stake < c ? stake : c), 0n);
  let low = 0n;
  let high = stakes.reduce((most, stake) => (stake > most ? stake : most), 0n);
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (allowed(middle)) low = middle;
    else high = middle - 1n;
  }
  return stakes.map((stake) => (stake < low ? stake : low));
}
