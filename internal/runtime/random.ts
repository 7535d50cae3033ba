/** The machine's randomness. */
import { randomBytes } from "node:crypto";

/** `n` cryptographically strong random bytes. */
export function systemRandom(n: number): Uint8Array {
  return new Uint8Array(randomBytes(n));
}
