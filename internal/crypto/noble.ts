/** Both schemes by @noble/post-quantum: JavaScript only, the reference and the last fallback. */
import { ml_dsa44 } from "@noble/post-quantum/ml-dsa.js";
import { slh_dsa_sha2_128f } from "@noble/post-quantum/slh-dsa.js";
import type { HalfScheme } from "./half.ts";
import { ML_DSA_44, SLH_DSA_128F } from "./half.ts";

/** FIPS 204 §3.4: bytes of `rnd` in hedged signing. */
const ML_DSA_RANDOM_BYTES = 32;
/** FIPS 205 §9.2: bytes of `addrnd` (n). */
const SLH_DSA_RANDOM_BYTES = 16;

/** ML-DSA-44, hedged with the randomness handed in. */
export const nobleMlDsa: HalfScheme = {
  name: "noble",
  ...ML_DSA_44,
  keyFromSeed(seed) {
    const { publicKey, secretKey } = ml_dsa44.keygen(seed);
    return {
      publicKey,
      sign: (message, random) =>
        ml_dsa44.sign(message, secretKey, { extraEntropy: random(ML_DSA_RANDOM_BYTES) }),
    };
  },
  verify: (publicKey, message, signature) => ml_dsa44.verify(signature, message, publicKey),
};

/** SLH-DSA-SHA2-128f, hedged with the randomness handed in. */
export const nobleSlhDsa: HalfScheme = {
  name: "noble",
  ...SLH_DSA_128F,
  keyFromSeed(seed) {
    const { publicKey, secretKey } = slh_dsa_sha2_128f.keygen(seed);
    return {
      publicKey,
      sign: (message, random) =>
        slh_dsa_sha2_128f.sign(message, secretKey, { extraEntropy: random(SLH_DSA_RANDOM_BYTES) }),
    };
  },
  verify: (publicKey, message, signature) =>
    slh_dsa_sha2_128f.verify(signature, message, publicKey),
};
