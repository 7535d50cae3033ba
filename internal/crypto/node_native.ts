/**
 * Both schemes by `node:crypto` (OpenSSL 3.5): Node >= 24.8. Chosen over `crypto.subtle` in Node,
 * which warns that ML-DSA is experimental. OpenSSL draws its own randomness for hedged signing.
 */
import { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { fromHex } from "#internal/core/mod.ts";
import type { HalfScheme } from "./half.ts";
import { ML_DSA_44, SLH_DSA_128F } from "./half.ts";
import { LruMap } from "./lru.ts";

/** Public keys kept imported: OpenSSL expands an ML-DSA key to about 20 kB, so some 5 MB at most. */
const CACHED_KEYS = 256;

/** DER before the 32-byte seed: PKCS #8 with the seed form of RFC 9881 (OID 2.16.840.1.101.3.4.3.17). */
const ML_DSA_PKCS8 = fromHex("3034020100300b06096086480165030403110422" + "8020");
/** DER before the 1312-byte public key: SubjectPublicKeyInfo of RFC 9881. */
const ML_DSA_SPKI = fromHex("30820532300b06096086480165030403110382052100");
/** DER before the 64-byte private key: PKCS #8 of RFC 9909 (OID 2.16.840.1.101.3.4.3.21). */
const SLH_DSA_PKCS8 = fromHex("3052020100300b06096086480165030403150440");
/** DER before the 32-byte public key: SubjectPublicKeyInfo of RFC 9909. */
const SLH_DSA_SPKI = fromHex("3030300b0609608648016503040315032100");

/**
 * ML-DSA-44 by OpenSSL, or `undefined` where this runtime's `node:crypto` does not have it.
 */
export function nodeMlDsa(): HalfScheme | undefined {
  const keyFromSeed: HalfScheme["keyFromSeed"] = (seed) =>
    halfKey(importPrivate(ML_DSA_PKCS8, seed), ML_DSA_SPKI.length);
  if (!works(() => keyFromSeed(new Uint8Array(ML_DSA_44.seedBytes)))) return undefined;
  return { name: "native", ...ML_DSA_44, keyFromSeed, verify: cachedVerify(ML_DSA_SPKI) };
}

/**
 * SLH-DSA-SHA2-128f by OpenSSL, or `undefined` where this runtime's `node:crypto` does not have it.
 * OpenSSL has no import from the seed alone: `rootOf` gives PK.root of SK.seed, SK.prf, PK.seed.
 */
export function nodeSlhDsa(rootOf: (seed: Uint8Array) => Uint8Array): HalfScheme | undefined {
  const keyFromSeed: HalfScheme["keyFromSeed"] = (seed) =>
    halfKey(
      importPrivate(SLH_DSA_PKCS8, Buffer.concat([seed, rootOf(seed)])),
      SLH_DSA_SPKI.length,
    );
  const key = new Uint8Array(SLH_DSA_128F.publicKeyBytes);
  if (!works(() => importPublic(SLH_DSA_SPKI, key))) return undefined;
  return { name: "native", ...SLH_DSA_128F, keyFromSeed, verify: cachedVerify(SLH_DSA_SPKI) };
}

function halfKey(privateKey: KeyObject, spkiPrefixBytes: number) {
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return {
    publicKey: Uint8Array.from(spki.subarray(spkiPrefixBytes)),
    sign: (message: Uint8Array) => Uint8Array.from(sign(null, message, privateKey)),
  };
}

function cachedVerify(spkiPrefix: Uint8Array): HalfScheme["verify"] {
  const imported = new LruMap<string, KeyObject>(CACHED_KEYS);
  return (publicKey, message, signature) => {
    const name = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length)
      .toString("latin1");
    let key = imported.get(name);
    if (key === undefined) {
      key = importPublic(spkiPrefix, publicKey);
      imported.set(name, key);
    }
    return verify(null, message, key, signature);
  };
}

function importPrivate(prefix: Uint8Array, secret: Uint8Array): KeyObject {
  const key = Buffer.concat([prefix, secret]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

function importPublic(prefix: Uint8Array, publicKey: Uint8Array): KeyObject {
  const key = Buffer.concat([prefix, publicKey]);
  return createPublicKey({ key, format: "der", type: "spki" });
}

/** Whether a probe runs through: the only way to ask OpenSSL what it can do. */
function works(probe: () => unknown): boolean {
  try {
    probe();
    return true;
  } catch {
    return false;
  }
}
