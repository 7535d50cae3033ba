/**
 * The INSECURE backend for simulations and `--insecure-signatures`: deterministic, fast and
 * forgeable by anyone who has the public key. It shows who is said to have signed and catches
 * accidental changes; it protects nothing.
 */
import type { DualBackend, DualKeys } from "./dual.ts";
import { checkSeed } from "./dual.ts";
import { HASH_BYTES, taggedHash } from "./hash.ts";

const KEY_TAG = "sion/insecure-key/v1";
const SIGNATURE_TAG = "sion/insecure-signature/v1";

/** The insecure backend: 32-byte public keys and signatures, no randomness used. */
export function insecureBackend(): DualBackend {
  const made = new WeakSet<DualKeys>();
  const signatureOf = (publicKey: Uint8Array, message: Uint8Array): Uint8Array =>
    taggedHash(SIGNATURE_TAG, publicKey, message);
  const verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
    if (publicKey.length !== HASH_BYTES || signature.length !== HASH_BYTES) return false;
    const expected = signatureOf(publicKey, message);
    return expected.every((byte, i) => byte === signature[i]);
  };

  return {
    name: "insecure",
    publicKeyBytes: HASH_BYTES,
    signatureBytes: HASH_BYTES,
    async keysFromSeed(seed) {
      checkSeed(seed);
      const keys = { publicKey: taggedHash(KEY_TAG, seed) };
      made.add(keys);
      return await Promise.resolve(keys);
    },
    async sign(keys, message) {
      if (!made.has(keys)) {
        throw new TypeError("Cannot sign: the keys are not of this signature backend");
      }
      return await Promise.resolve(signatureOf(keys.publicKey, message));
    },
    async verify(publicKey, message, signature) {
      return await Promise.resolve(verify(publicKey, message, signature));
    },
    async verifyHalves(publicKey, message, signature) {
      const valid = verify(publicKey, message, signature);
      return await Promise.resolve({ mldsa: valid, slh: valid });
    },
  };
}
