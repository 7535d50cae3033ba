/**
 * One of the two signature schemes behind a dual signature, as every implementation gives it. Pure
 * mode of FIPS 204 and FIPS 205, empty context.
 */

/** Yields `n` fresh random bytes; handed in, since this unit draws none itself. */
export type RandomBytes = (n: number) => Uint8Array;

/** A key pair of one scheme in one implementation. The secret never leaves the closure. */
export interface HalfKey {
  readonly publicKey: Uint8Array;
  /** Signs; hedged with `random` unless the implementation draws its own randomness. */
  sign(message: Uint8Array, random: RandomBytes): Uint8Array | Promise<Uint8Array>;
}

/** One implementation of one scheme. */
export interface HalfScheme {
  /** Which implementation, for `status`: `simd`, `native`, `liboqs`, `noble`. */
  readonly name: string;
  readonly publicKeyBytes: number;
  readonly signatureBytes: number;
  readonly seedBytes: number;
  /** The key pair of a seed of `seedBytes`, the same in every implementation. */
  keyFromSeed(seed: Uint8Array): HalfKey | Promise<HalfKey>;
  /** False for anything but a valid signature; public key and signature have the right lengths. */
  verify(
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
  ): boolean | Promise<boolean>;
}

/** FIPS 204 table 2: ML-DSA-44. */
export const ML_DSA_44 = { publicKeyBytes: 1312, signatureBytes: 2420, seedBytes: 32 } as const;

/** FIPS 205 table 2: SLH-DSA-SHA2-128f. The seed is SK.seed, SK.prf and PK.seed. */
export const SLH_DSA_128F = { publicKeyBytes: 32, signatureBytes: 17088, seedBytes: 48 } as const;
