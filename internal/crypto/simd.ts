/**
 * SLH-DSA-SHA2-128f (FIPS 205) on the SIMD kernel. Here are the hashes of the message (§11.2.1) and
 * the memory's filling; the rest is in the kernel.
 */
import { createHmac } from "node:crypto";
import type { HalfScheme, RandomBytes } from "./half.ts";
import { SLH_DSA_128F } from "./half.ts";
import { sha256 } from "./hash.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { kernel } from "./kernel/kernel.ts";

/** n: bytes of a hash, and of each part of a key. */
const N = 16;
/** k and a: FORS trees, and bits of an index into one. */
const FORS_TREES = 33;
const FORS_HEIGHT = 6;
/** Bytes of H_msg: ⌈k·a/8⌉ of indices, 8 of the tree, 1 of the leaf (§9.2). */
const FORS_BYTES = 25;
const DIGEST_BYTES = 34;
/** Rows of a signature. */
const ROWS = SLH_DSA_128F.signatureBytes / N;
/** Pure mode with an empty context (§9.2 algorithm 22): M' is 0, 0, then the message. */
const PURE_EMPTY_CONTEXT = Uint8Array.of(0, 0);

/** An SLH-DSA key pair as FIPS 205 has it: SK.seed, SK.prf, PK.seed, PK.root, 16 bytes each. */
export interface SlhKey {
  readonly skSeed: Uint8Array;
  readonly skPrf: Uint8Array;
  readonly pkSeed: Uint8Array;
  readonly pkRoot: Uint8Array;
}

/**
 * SLH-DSA-SHA2-128f on the kernel, hedged with the randomness handed in.
 * @throws {Error} where WebAssembly or its SIMD instructions are missing.
 */
export function simdSlhDsa(): HalfScheme {
  const engine = kernel();
  return {
    name: "simd",
    ...SLH_DSA_128F,
    keyFromSeed(seed) {
      const key = slhKeygen(engine, seed);
      const publicKey = new Uint8Array(SLH_DSA_128F.publicKeyBytes);
      publicKey.set(key.pkSeed);
      publicKey.set(key.pkRoot, N);
      return {
        publicKey,
        sign: (message: Uint8Array, random: RandomBytes) =>
          slhSign(engine, key, [PURE_EMPTY_CONTEXT, message], random(N)),
      };
    },
    verify: (publicKey, message, signature) =>
      slhVerify(engine, publicKey, [PURE_EMPTY_CONTEXT, message], signature),
  };
}

/** Algorithm 18, slh_keygen_internal: the key pair of SK.seed, SK.prf, PK.seed (48 bytes). */
export function slhKeygen(engine: Kernel, seed: Uint8Array): SlhKey {
  if (seed.length !== SLH_DSA_128F.seedBytes) {
    throw new TypeError(`Cannot derive an SLH-DSA key: the seed is not ${3 * N} bytes`);
  }
  const skSeed = seed.slice(0, N);
  const pkSeed = seed.slice(2 * N);
  writeRow(engine, engine.at.secretSeed, skSeed);
  writeRow(engine, engine.at.publicSeed, pkSeed);
  engine.keygen();
  const pkRoot = readRow(engine, engine.at.node);
  forgetWork(engine);
  return { skSeed, skPrf: seed.slice(N, 2 * N), pkSeed, pkRoot };
}

/**
 * Algorithm 19, slh_sign_internal: signs M', given in parts, with `random` (16 bytes: fresh when
 * hedged, PK.seed when deterministic). Returns 17,088 bytes.
 */
export function slhSign(
  engine: Kernel,
  key: SlhKey,
  parts: readonly Uint8Array[],
  random: Uint8Array,
): Uint8Array {
  if (random.length !== N) throw new TypeError(`Cannot sign: the randomness is not ${N} bytes`);
  const { at } = engine;
  const hmac = createHmac("sha256", key.skPrf).update(random);
  for (const part of parts) hmac.update(part);
  const r = new Uint8Array(hmac.digest().subarray(0, N));
  const digest = messageDigest(r, key.pkSeed, key.pkRoot, parts);
  writeRow(engine, at.secretSeed, key.skSeed);
  writeRow(engine, at.publicSeed, key.pkSeed);
  writeIndices(engine, digest);
  engine.sign(treeHigh(digest), treeLow(digest), leafOf(digest));
  engine.swap(at.signature, ROWS);
  const signature = engine.bytes.slice(at.signature, at.signature + SLH_DSA_128F.signatureBytes);
  signature.set(r);
  forgetWork(engine);
  return signature;
}

/** Algorithm 20, slh_verify_internal: whether the signature of M', given in parts, is valid. */
export function slhVerify(
  engine: Kernel,
  publicKey: Uint8Array,
  parts: readonly Uint8Array[],
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== SLH_DSA_128F.publicKeyBytes) return false;
  if (signature.length !== SLH_DSA_128F.signatureBytes) return false;
  const { at } = engine;
  const pkSeed = publicKey.subarray(0, N);
  const pkRoot = publicKey.subarray(N);
  const digest = messageDigest(signature.subarray(0, N), pkSeed, pkRoot, parts);
  writeRow(engine, at.publicSeed, pkSeed);
  writeRow(engine, at.publicRoot, pkRoot);
  writeIndices(engine, digest);
  engine.bytes.set(signature, at.signature);
  engine.swap(at.signature, ROWS);
  return engine.verify(treeHigh(digest), treeLow(digest), leafOf(digest)) === 1;
}

/** H_msg (§11.2.1): the first 34 bytes of MGF1-SHA-256 of R, PK.seed and the hash of it all. */
function messageDigest(
  r: Uint8Array,
  pkSeed: Uint8Array,
  pkRoot: Uint8Array,
  parts: readonly Uint8Array[],
): Uint8Array {
  const inner = sha256(r, pkSeed, pkRoot, ...parts);
  const digest = new Uint8Array(DIGEST_BYTES);
  digest.set(sha256(r, pkSeed, inner, Uint8Array.of(0, 0, 0, 0)));
  const second = sha256(r, pkSeed, inner, Uint8Array.of(0, 0, 0, 1));
  digest.set(second.subarray(0, DIGEST_BYTES - second.length), second.length);
  return digest;
}

/** The FORS indices: six bits each from the front (§4.4 base_2b). */
function writeIndices(engine: Kernel, digest: Uint8Array): void {
  const first = engine.at.indices / 4;
  for (let i = 0; i < FORS_TREES; i++) {
    const bit = i * FORS_HEIGHT;
    const two = (byteAt(digest, bit >> 3) << 8) | byteAt(digest, (bit >> 3) + 1);
    engine.words[first + i] = (two >> (16 - FORS_HEIGHT - (bit & 7))) & ((1 << FORS_HEIGHT) - 1);
  }
}

/** The tree index has 63 bits (h - h'): the top bit of its eight bytes is dropped. */
function treeHigh(digest: Uint8Array): number {
  return wordAt(digest, FORS_BYTES) & 0x7fff_ffff;
}

function treeLow(digest: Uint8Array): number {
  return wordAt(digest, FORS_BYTES + 4);
}

/** The leaf index has three bits (h'). */
function leafOf(digest: Uint8Array): number {
  return byteAt(digest, FORS_BYTES + 8) & 7;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}

/** Big-endian word as a signed 32-bit number, which is how WebAssembly takes it. */
function wordAt(bytes: Uint8Array, index: number): number {
  return (byteAt(bytes, index) << 24) | (byteAt(bytes, index + 1) << 16) |
    (byteAt(bytes, index + 2) << 8) | byteAt(bytes, index + 3);
}

function writeRow(engine: Kernel, address: number, bytes: Uint8Array): void {
  for (let i = 0; i < N / 4; i++) engine.words[address / 4 + i] = wordAt(bytes, 4 * i);
}

function readRow(engine: Kernel, address: number): Uint8Array {
  const row = new Uint8Array(N);
  const view = new DataView(row.buffer);
  for (let i = 0; i < N / 4; i++) {
    view.setUint32(4 * i, engine.words[address / 4 + i] as number);
  }
  return row;
}

/** Leaves no secret of a key in memory that the next operation might show. */
function forgetWork(engine: Kernel): void {
  const { work, signature } = engine.at;
  engine.bytes.fill(0, work, signature + SLH_DSA_128F.signatureBytes);
}
