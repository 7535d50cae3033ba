/**
 * ML-DSA-44 by the runtime's Web Crypto (Deno >= 2.9), which takes raw seeds and keys and draws its
 * own randomness for hedged signing.
 */
import { Buffer } from "node:buffer";
import type { HalfScheme } from "./half.ts";
import { ML_DSA_44 } from "./half.ts";
import { LruMap } from "./lru.ts";

/** Public keys kept imported. */
const CACHED_KEYS = 256;

const ALGORITHM = { name: "ML-DSA-44" };

/** What this file uses of `SubtleCrypto`; the formats are newer than the DOM types. */
interface RawKeySubtle {
  importKey(
    format: "raw-seed" | "raw-public",
    key: Uint8Array,
    algorithm: typeof ALGORITHM,
    extractable: boolean,
    usages: readonly ("sign" | "verify")[],
  ): Promise<CryptoKey>;
  exportKey(format: "raw-public", key: CryptoKey): Promise<ArrayBuffer>;
  getPublicKey(key: CryptoKey, usages: readonly "verify"[]): Promise<CryptoKey>;
  sign(algorithm: typeof ALGORITHM, key: CryptoKey, data: Uint8Array): Promise<ArrayBuffer>;
  verify(
    algorithm: typeof ALGORITHM,
    key: CryptoKey,
    signature: Uint8Array,
    data: Uint8Array,
  ): Promise<boolean>;
}

/** ML-DSA-44 by Web Crypto, or `undefined` where this runtime does not have it. */
export async function webMlDsa(): Promise<HalfScheme | undefined> {
  const subtle = globalThis.crypto?.subtle as unknown as RawKeySubtle | undefined;
  if (subtle?.getPublicKey === undefined) return undefined;
  const scheme = schemeOf(subtle);
  try {
    await scheme.keyFromSeed(new Uint8Array(ML_DSA_44.seedBytes));
    return scheme;
  } catch {
    return undefined;
  }
}

function schemeOf(subtle: RawKeySubtle): HalfScheme {
  const imported = new LruMap<string, CryptoKey>(CACHED_KEYS);
  return {
    name: "native",
    ...ML_DSA_44,
    async keyFromSeed(seed) {
      const secret = await subtle.importKey("raw-seed", seed, ALGORITHM, false, ["sign"]);
      const shown = await subtle.getPublicKey(secret, ["verify"]);
      const publicKey = new Uint8Array(await subtle.exportKey("raw-public", shown));
      return {
        publicKey,
        sign: async (message) => new Uint8Array(await subtle.sign(ALGORITHM, secret, message)),
      };
    },
    async verify(publicKey, message, signature) {
      const name = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length)
        .toString("latin1");
      let key = imported.get(name);
      if (key === undefined) {
        key = await subtle.importKey("raw-public", publicKey, ALGORITHM, true, ["verify"]);
        imported.set(name, key);
      }
      return await subtle.verify(ALGORITHM, key, signature, message);
    },
  };
}
