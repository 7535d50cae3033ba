/** Many hashes of pairs at once, as Merkle trees need them. */
import { HASH_BYTES, sha256 } from "./hash.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { kernel } from "./kernel/kernel.ts";

/** Below this many pairs four lanes gain nothing over one hash at a time. */
const KERNEL_FROM = 4;

/**
 * SHA-256(prefix || left || right) of each pair of 32-byte values: `values` holds left and right by
 * turns, the result one hash a pair. By the SIMD kernel where it works. The hashes may be views of
 * common memory: never to be transferred, and one that is kept keeps up to 1023 others.
 * @throws {TypeError} when a value is not 32 bytes or the last pair is not whole.
 */
export function sha256Pairs(prefix: number, values: readonly Uint8Array[]): Uint8Array[] {
  if (values.length % 2 !== 0) throw new TypeError("Cannot hash pairs: the last one is not whole");
  for (const value of values) {
    if (value.length !== HASH_BYTES) {
      throw new TypeError(`Cannot hash pairs: a value is not ${HASH_BYTES} bytes`);
    }
  }
  const engine = values.length >= 2 * KERNEL_FROM ? pairKernel() : undefined;
  return engine === undefined ? oneByOne(prefix, values) : inBatches(engine, prefix, values);
}

function oneByOne(prefix: number, values: readonly Uint8Array[]): Uint8Array[] {
  const head = Uint8Array.of(prefix);
  const hashes: Uint8Array[] = [];
  for (let i = 0; i < values.length; i += 2) {
    hashes.push(sha256(head, values[i] as Uint8Array, values[i + 1] as Uint8Array));
  }
  return hashes;
}

function inBatches(engine: Kernel, prefix: number, values: readonly Uint8Array[]): Uint8Array[] {
  const { bytes, at } = engine;
  const hashes: Uint8Array[] = [];
  for (let first = 0; first < values.length; first += 2 * at.pairs) {
    const end = Math.min(values.length, first + 2 * at.pairs);
    for (let i = first; i < end; i++) {
      bytes.set(values[i] as Uint8Array, at.pairsIn + (i - first) * HASH_BYTES);
    }
    const count = (end - first) / 2;
    engine.pairs(prefix, at.pairsIn, at.pairsOut, count);
    // One copy for the batch and a view for each hash: a copy each would cost more than hashing.
    const { buffer } = bytes.slice(at.pairsOut, at.pairsOut + count * HASH_BYTES);
    for (let i = 0; i < count; i++) {
      hashes.push(new Uint8Array(buffer, i * HASH_BYTES, HASH_BYTES));
    }
  }
  return hashes;
}

let fallback = false;

/** The kernel, or `undefined` once and for all where WebAssembly's SIMD is missing. */
function pairKernel(): Kernel | undefined {
  if (fallback) return undefined;
  try {
    return kernel();
  } catch {
    fallback = true;
    return undefined;
  }
}
