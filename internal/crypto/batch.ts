/** SHA-256 of many short messages at once, by the SIMD kernel where it works. */
import { HASH_BYTES, sha256, tagPrefix } from "./hash.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { kernel } from "./kernel/kernel.ts";

/** FIPS 180-4: bytes of a block, and of the 1 bit and the length that end a message. */
const BLOCK_BYTES = 64;
const END_BYTES = 9;
/** Below this many messages four lanes gain nothing over one hash at a time. */
const KERNEL_FROM = 4;
/** From this many blocks on the runtime's own hash is faster. */
const LONG_BLOCKS = 17;

/**
 * SHA-256(prefix || left || right) of each pair of 32-byte values: `values` holds left and right by
 * turns, the result one hash a pair. The hashes may be views of common memory: never to be
 * transferred, and one that is kept keeps up to 1023 others.
 * @throws {TypeError} when a value is not 32 bytes or the last pair is not whole.
 */
export function sha256Pairs(prefix: number, values: readonly Uint8Array[]): Uint8Array[] {
  if (values.length % 2 !== 0) throw new TypeError("Cannot hash pairs: the last one is not whole");
  for (const value of values) {
    if (value.length !== HASH_BYTES) {
      throw new TypeError(`Cannot hash pairs: a value is not ${HASH_BYTES} bytes`);
    }
  }
  const engine = values.length >= 2 * KERNEL_FROM ? batchKernel() : undefined;
  const hashes: Uint8Array[] = [];
  if (engine === undefined) {
    const head = Uint8Array.of(prefix);
    for (let i = 0; i < values.length; i += 2) {
      hashes.push(sha256(head, values[i] as Uint8Array, values[i + 1] as Uint8Array));
    }
    return hashes;
  }
  const { bytes, at } = engine;
  for (let first = 0; first < values.length; first += 2 * at.batch) {
    const end = Math.min(values.length, first + 2 * at.batch);
    for (let i = first; i < end; i++) {
      bytes.set(values[i] as Uint8Array, at.batchIn + (i - first) * HASH_BYTES);
    }
    const count = (end - first) / 2;
    engine.pairs(prefix, at.batchIn, at.batchOut, count);
    hashes.push(...results(engine, count));
  }
  return hashes;
}

/**
 * SHA-256(prefix || message) of each message, of any lengths; several times as fast as one at a
 * time when there are many of up to a kilobyte. The hashes may be views of common memory, as those
 * of {@link sha256Pairs}.
 */
export function sha256Many(
  prefix: Uint8Array,
  messages: readonly Uint8Array[],
): Uint8Array[] {
  const engine = messages.length >= KERNEL_FROM ? batchKernel() : undefined;
  if (engine === undefined) return messages.map((message) => sha256(prefix, message));
  const hashes = new Array<Uint8Array>(messages.length);
  for (const [blocks, indices] of byBlocks(prefix.length, messages)) {
    if (blocks >= LONG_BLOCKS || indices.length < KERNEL_FROM) {
      for (const i of indices) hashes[i] = sha256(prefix, messages[i] as Uint8Array);
      continue;
    }
    // Whole groups of four, so that what the kernel reads beyond the last message is in its memory.
    const fit = Math.floor(engine.at.batch / blocks / 4) * 4;
    for (let first = 0; first < indices.length; first += fit) {
      const count = Math.min(fit, indices.length - first);
      for (let place = 0; place < count; place++) {
        const message = messages[indices[first + place] as number] as Uint8Array;
        writePadded(engine, place * blocks, blocks, prefix, message);
      }
      engine.many(engine.at.batchIn, blocks, engine.at.batchOut, count);
      const found = results(engine, count);
      for (let place = 0; place < count; place++) {
        hashes[indices[first + place] as number] = found[place] as Uint8Array;
      }
    }
  }
  return hashes;
}

/** `taggedHash(tag, content)` of each content, as {@link sha256Many}. */
export function taggedHashMany(tag: string, contents: readonly Uint8Array[]): Uint8Array[] {
  return sha256Many(tagPrefix(tag), contents);
}

/** Indices of the messages by how many blocks each takes with its prefix and end. */
function byBlocks(prefixBytes: number, messages: readonly Uint8Array[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let i = 0; i < messages.length; i++) {
    const { length } = messages[i] as Uint8Array;
    const blocks = Math.ceil((prefixBytes + length + END_BYTES) / BLOCK_BYTES);
    const group = groups.get(blocks);
    if (group === undefined) groups.set(blocks, [i]);
    else group.push(i);
  }
  return groups;
}

/** Writes a message that takes `blocks` blocks, with FIPS 180-4's padding, at block `place`. */
function writePadded(
  { bytes, at }: Kernel,
  place: number,
  blocks: number,
  prefix: Uint8Array,
  message: Uint8Array,
): void {
  const start = at.batchIn + place * BLOCK_BYTES;
  const length = prefix.length + message.length;
  const end = start + blocks * BLOCK_BYTES;
  bytes.set(prefix, start);
  bytes.set(message, start + prefix.length);
  bytes.fill(0, start + length, end);
  bytes[start + length] = 0x80;
  const bits = 8 * length;
  // Under LONG_BLOCKS blocks the length has 14 bits at most.
  bytes[end - 2] = bits >> 8;
  bytes[end - 1] = bits & 255;
}

/** The first `count` hashes: one copy for all and a view each, since a copy each costs more. */
function results({ bytes, at }: Kernel, count: number): Uint8Array[] {
  const { buffer } = bytes.slice(at.batchOut, at.batchOut + count * HASH_BYTES);
  const hashes: Uint8Array[] = [];
  for (let i = 0; i < count; i++) hashes.push(new Uint8Array(buffer, i * HASH_BYTES, HASH_BYTES));
  return hashes;
}

let unavailable = false;

/** The kernel, or `undefined` once and for all where WebAssembly's SIMD is missing. */
function batchKernel(): Kernel | undefined {
  if (unavailable) return undefined;
  try {
    return kernel();
  } catch {
    unavailable = true;
    return undefined;
  }
}
