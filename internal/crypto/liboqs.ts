/**
 * Both schemes by @oqs/liboqs-js (liboqs compiled to WebAssembly). It makes no keys from seeds, so
 * those come from @noble/post-quantum; it draws its own randomness for hedged signing.
 */
import { createMLDSA44, createSlhDsaSha2128f } from "@oqs/liboqs-js/sig";
import { ml_dsa44 } from "@noble/post-quantum/ml-dsa.js";
import { slh_dsa_sha2_128f } from "@noble/post-quantum/slh-dsa.js";
import type { HalfScheme } from "./half.ts";
import { ML_DSA_44, SLH_DSA_128F } from "./half.ts";

/** ML-DSA-44 by liboqs. Rejects when its WebAssembly does not start here. */
export async function liboqsMlDsa(): Promise<HalfScheme> {
  const oqs = await createMLDSA44();
  return {
    name: "liboqs",
    ...ML_DSA_44,
    keyFromSeed(seed) {
      const { publicKey, secretKey } = ml_dsa44.keygen(seed);
      return { publicKey, sign: (message) => oqs.sign(message, secretKey) };
    },
    verify: (publicKey, message, signature) => oqs.verify(message, signature, publicKey),
  };
}

/** SLH-DSA-SHA2-128f by liboqs. Rejects when its WebAssembly does not start here. */
export async function liboqsSlhDsa(): Promise<HalfScheme> {
  const oqs = await createSlhDsaSha2128f();
  return {
    name: "liboqs",
    ...SLH_DSA_128F,
    keyFromSeed(seed) {
      const { publicKey, secretKey } = slh_dsa_sha2_128f.keygen(seed);
      return { publicKey, sign: (message) => oqs.sign(message, secretKey) };
    },
    verify: (publicKey, message, signature) => oqs.verify(message, signature, publicKey),
  };
}
