/** The machine's randomness. */

/** `n` cryptographically strong random bytes, 65,536 at most. */
export function systemRandom(n: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(n));
}
