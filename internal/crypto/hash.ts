/** SHA-256 (FIPS 180-4), plain and with a domain tag. */
import { createHash, hash } from "node:crypto";
import { fromHex } from "#internal/core/mod.ts";

/** Bytes of every hash in the protocol. */
export const HASH_BYTES = 32;

/** Longest tag: its length is one byte. */
const MAX_TAG_BYTES = 255;

/**
 * Parts up to this many bytes are joined and hashed in one call: a signed unit fits. A hasher would be
 * an object outside the heap, which costs more to collect than the copy to make.
 */
const JOINED_BYTES = 1 << 15;
const joined = new Uint8Array(JOINED_BYTES);

/** The length byte and ASCII bytes of each tag used so far; tags are constants, so it stays small. */
const tagPrefixes = new Map<string, Uint8Array>();

/** SHA-256 of the concatenation of the parts: 32 bytes, owned by the caller. */
export function sha256(...parts: Uint8Array[]): Uint8Array {
  return digest(parts);
}

/**
 * `H(tag, fields)`: SHA-256 of the tag's length (one byte), the tag in ASCII, and the fields. No two
 * tags start alike, so no hash of one domain is a hash of another. The fields are only joined:
 * they must be of fixed length or carry their own lengths (BCS).
 * @throws {TypeError} on a tag that is empty, not printable ASCII, or over 255 bytes.
 */
export function taggedHash(tag: string, ...fields: Uint8Array[]): Uint8Array {
  return digest([tagPrefix(tag), ...fields]);
}

/** What a tagged hash begins with: the tag's length and the tag. Shared: never to be changed. */
export function tagPrefix(tag: string): Uint8Array {
  const known = tagPrefixes.get(tag);
  if (known !== undefined) return known;
  if (!/^[\x21-\x7e]+$/.test(tag) || tag.length > MAX_TAG_BYTES) {
    throw new TypeError(`Cannot hash: the tag is not 1 to ${MAX_TAG_BYTES} ASCII characters`);
  }
  const bytes = new Uint8Array(1 + tag.length);
  bytes[0] = tag.length;
  for (let i = 0; i < tag.length; i++) bytes[i + 1] = tag.charCodeAt(i);
  tagPrefixes.set(tag, bytes);
  return bytes;
}

/** Read from hex: 32 bytes of the heap's own cost half of a Buffer, which has its memory outside. */
function digest(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) {
    if (length + part.length <= JOINED_BYTES) joined.set(part, length);
    length += part.length;
  }
  if (length <= JOINED_BYTES) {
    return fromHex(hash("sha256", joined.subarray(0, length), "hex"));
  }
  const hasher = createHash("sha256");
  for (const part of parts) hasher.update(part);
  return fromHex(hasher.digest("hex"));
}
