/** Long texts of a value kept apart by digest, so that one that comes often is kept once. */
import type { JsonValue } from "#internal/core/mod.ts";

/** Texts longer than this stand apart, UTF-16 units. */
const APART_LENGTH = 4_096;

/** The key under which a long text's digest stands; keys that look like it get one `$` more. */
const APART_KEY = "$apart";
const LOOKS_LIKE_APART = /^\$+apart$/;

/** Replaces long texts by `{"$apart": digest}`. Lone surrogates stay where they are. */
export function pack(value: JsonValue, keep: (text: string) => string): JsonValue {
  if (typeof value === "string") {
    return value.length > APART_LENGTH && value.isWellFormed()
      ? { [APART_KEY]: keep(value) }
      : value;
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((member: JsonValue) => pack(member, keep));
  const out: Record<string, JsonValue> = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) {
      out[LOOKS_LIKE_APART.test(key) ? `$${key}` : key] = pack(member, keep);
    }
  }
  return out;
}

/**
 * Whether a packed value, as its JSON text, has anything that `unpack` changes. Most have not, and
 * copying them is half the work of reading a log.
 */
export function mayBePacked(json: string): boolean {
  return json.includes('apart"') || json.includes("__proto__") || json.includes("\\u");
}

/** The inverse of `pack`. */
export function unpack(value: JsonValue, apart: (digest: string) => string): JsonValue {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((member: JsonValue) => unpack(member, apart));
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === APART_KEY && typeof only[1] === "string") {
    return apart(only[1]);
  }
  const out: Record<string, JsonValue> = Object.create(null);
  for (const [key, member] of entries) {
    if (member === undefined) continue;
    out[LOOKS_LIKE_APART.test(key) ? key.slice(1) : key] = unpack(member, apart);
  }
  return out;
}
