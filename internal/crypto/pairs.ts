/** Many hashes of pairs at once, as Merkle trees need them. */
import { HASH_BYTES, sha256 } from "./hash.ts";

/**
 * SHA-256(prefix || left || right) of each pair of 32-byte values: `values` holds left and right by
 * turns, the result one hash a pair.
 * @throws {TypeError} when a value is not 32 bytes or the last pair is not whole.
 */
export function sha256Pairs(prefix: number, values: readonly Uint8Array[]): Uint8Array[] {
  if (values.length % 2 !== 0) throw new TypeError("Cannot hash pairs: the last one is not whole");
  const head = Uint8Array.of(prefix);
  const hashes: Uint8Array[] = [];
  for (let i = 0; i < values.length; i += 2) {
    hashes.push(sha256(head, valueAt(values, i), valueAt(values, i + 1)));
  }
  return hashes;
}

function valueAt(values: readonly Uint8Array[], index: number): Uint8Array {
  const value = values[index];
  if (value?.length !== HASH_BYTES) {
    throw new TypeError(`Cannot hash pairs: a value is not ${HASH_BYTES} bytes`);
  }
  return value;
}
