/** The hashes of RFC 6962 §2.1. */
import { sha256 } from "#internal/crypto/mod.ts";

/** Prefix of an inner node's hash. */
export const NODE_PREFIX = 1;

/** Prefix of a leaf's hash. Shared: never to be changed. */
export const LEAF_PREFIX_BYTES: Uint8Array = Uint8Array.of(0);
const NODE_PREFIX_BYTES = Uint8Array.of(NODE_PREFIX);

/** Root of the empty log: SHA-256 of nothing. Shared: never to be changed by a caller. */
export const EMPTY_ROOT: Uint8Array = sha256();

/** Hash of a leaf: SHA-256(0x00 || data). */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(LEAF_PREFIX_BYTES, data);
}

/** Hash of an inner node: SHA-256(0x01 || left || right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE_PREFIX_BYTES, left, right);
}
