/** The dual signature: ML-DSA-44 and SLH-DSA-SHA2-128f over the same message, valid only if both are. */
import { concatBytes } from "#internal/core/mod.ts";
import type { HalfKey, HalfScheme, RandomBytes } from "./half.ts";
import { ML_DSA_44, SLH_DSA_128F } from "./half.ts";
import { taggedHash } from "./hash.ts";

/** Bytes of a dual public key: ML-DSA-44's (1312), then SLH-DSA-SHA2-128f's (32). */
export const DUAL_PUBLIC_KEY_BYTES = 1344;
/** Bytes of a dual signature: ML-DSA-44's (2420), then SLH-DSA-SHA2-128f's (17088). */
export const DUAL_SIGNATURE_BYTES = 19508;
/** Bytes of the seed that both key pairs are derived from. */
export const SEED_BYTES = 32;

/**
 * A dual key pair of one backend. The secrets are held outside the object, so that printing or
 * serialising it shows the public key only; they live as long as the object does.
 */
export interface DualKeys {
  readonly publicKey: Uint8Array;
}

/** Which halves of a dual signature are valid: both in every honest one. */
export interface DualVerdict {
  readonly mldsa: boolean;
  readonly slh: boolean;
}

/**
 * One implementation of the dual signature. All but the insecure one derive the same keys and accept
 * each other's signatures; keys are used with the backend that made them. FIPS 204/205 pure mode,
 * empty context; messages are usually 32-byte digests. Safe to call concurrently within a thread.
 */
export interface DualBackend {
  /** SLH-DSA's and ML-DSA's implementation, as `simd+native`; one word when both are the same. */
  readonly name: string;
  /** {@link DUAL_PUBLIC_KEY_BYTES}, save for the insecure backend. */
  readonly publicKeyBytes: number;
  /** {@link DUAL_SIGNATURE_BYTES}, save for the insecure backend. */
  readonly signatureBytes: number;
  /**
   * Both key pairs, derived from a 32-byte seed by tagged hashes.
   * @throws {TypeError} when the seed is not 32 bytes.
   */
  keysFromSeed(seed: Uint8Array): Promise<DualKeys>;
  /**
   * Signs the message. SLH-DSA is hedged with `random` where the implementation takes it (simd,
   * noble); elsewhere the implementation draws its own.
   * @throws {TypeError} when the keys are not this backend's.
   */
  sign(keys: DualKeys, message: Uint8Array, random: RandomBytes): Promise<Uint8Array>;
  /** True only if both halves verify. Wrong lengths are false; nothing throws. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
  /** Checks both halves whatever the first says: evidence must show that both are the signer's. */
  verifyHalves(
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
  ): Promise<DualVerdict>;
}

/** Seed of the ML-DSA half, FIPS 204's ξ. */
const ML_DSA_SEED_TAG = "sion/seed-ml-dsa-44/v1";
/** Seed of the SLH-DSA half: 48 bytes, the start of two hashes with a counter byte. */
const SLH_DSA_SEED_TAG = "sion/seed-slh-dsa-sha2-128f/v1";

/** The 32-byte ML-DSA seed of a wallet seed. */
function mlDsaSeed(seed: Uint8Array): Uint8Array {
  return taggedHash(ML_DSA_SEED_TAG, seed);
}

/** The 48-byte SLH-DSA seed (SK.seed, SK.prf, PK.seed) of a wallet seed. */
function slhDsaSeed(seed: Uint8Array): Uint8Array {
  const first = taggedHash(SLH_DSA_SEED_TAG, seed, Uint8Array.of(0));
  const second = taggedHash(SLH_DSA_SEED_TAG, seed, Uint8Array.of(1));
  return concatBytes(first, second.subarray(0, SLH_DSA_128F.seedBytes - first.length));
}

/** @throws {TypeError} when the seed is not {@link SEED_BYTES} bytes. */
export function checkSeed(seed: Uint8Array): void {
  if (!(seed instanceof Uint8Array) || seed.length !== SEED_BYTES) {
    throw new TypeError(`Cannot derive keys: the seed is not ${SEED_BYTES} bytes`);
  }
}

/** The backend made of one implementation of each scheme. */
export function combineHalves(slh: HalfScheme, mldsa: HalfScheme): DualBackend {
  const secrets = new WeakMap<DualKeys, { mldsa: HalfKey; slh: HalfKey }>();
  const splitKey = ML_DSA_44.publicKeyBytes;
  const splitSignature = ML_DSA_44.signatureBytes;
  const wellFormed = (publicKey: Uint8Array, signature: Uint8Array): boolean =>
    publicKey.length === DUAL_PUBLIC_KEY_BYTES && signature.length === DUAL_SIGNATURE_BYTES;
  const verifyMldsa = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) =>
    mldsa.verify(
      publicKey.subarray(0, splitKey),
      message,
      signature.subarray(0, splitSignature),
    );
  const verifySlh = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) =>
    slh.verify(publicKey.subarray(splitKey), message, signature.subarray(splitSignature));

  return {
    name: slh.name === mldsa.name ? slh.name : `${slh.name}+${mldsa.name}`,
    publicKeyBytes: DUAL_PUBLIC_KEY_BYTES,
    signatureBytes: DUAL_SIGNATURE_BYTES,
    async keysFromSeed(seed) {
      checkSeed(seed);
      const halves = {
        mldsa: await mldsa.keyFromSeed(mlDsaSeed(seed)),
        slh: await slh.keyFromSeed(slhDsaSeed(seed)),
      };
      const keys = { publicKey: concatBytes(halves.mldsa.publicKey, halves.slh.publicKey) };
      secrets.set(keys, halves);
      return keys;
    },
    async sign(keys, message, random) {
      const halves = secrets.get(keys);
      if (halves === undefined) {
        throw new TypeError("Cannot sign: the keys are not of this signature backend");
      }
      // ML-DSA first and not awaited: in Deno it runs on another thread, beside SLH-DSA on this one.
      return concatBytes(
        ...await Promise.all([
          halves.mldsa.sign(message, random),
          halves.slh.sign(message, random),
        ]),
      );
    },
    async verify(publicKey, message, signature) {
      if (!wellFormed(publicKey, signature)) return false;
      // ML-DSA first: it costs a fraction of SLH-DSA, so junk is refused cheaply.
      return await verifyMldsa(publicKey, message, signature) &&
        await verifySlh(publicKey, message, signature);
    },
    async verifyHalves(publicKey, message, signature) {
      if (!wellFormed(publicKey, signature)) return { mldsa: false, slh: false };
      return {
        mldsa: await verifyMldsa(publicKey, message, signature),
        slh: await verifySlh(publicKey, message, signature),
      };
    },
  };
}
