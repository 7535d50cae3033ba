/** Hashes and dual signatures. Pure: randomness is handed in; backends may draw their own to sign. */
export type { DualBackend, DualKeys, DualVerdict } from "./dual.ts";
export { DUAL_PUBLIC_KEY_BYTES, DUAL_SIGNATURE_BYTES, SEED_BYTES } from "./dual.ts";
export type { RandomBytes } from "./half.ts";
export { HASH_BYTES, sha256, taggedHash } from "./hash.ts";
export type { BackendName, CryptoErrorCode } from "./load.ts";
export { loadDualBackend } from "./load.ts";
export { sha256Many, sha256Pairs, taggedHashMany } from "./batch.ts";
