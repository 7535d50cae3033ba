/**
 * The headers of x402: standard base64 with padding, of JSON in UTF-8. Node takes 16 KiB of headers
 * in all, so that one alone is kept well below.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import { OUTSIDE_DEPTH, parseJson, stringifyJson, utf8, utf8Text } from "#internal/core/mod.ts";

/** Headers of version 2. */
export const HEADERS = {
  required: "payment-required",
  payment: "payment-signature",
  response: "payment-response",
} as const;

/** Their names in version 1; its requirements stand in the body. */
export const HEADERS_V1 = { payment: "x-payment", response: "x-payment-response" } as const;

/** Longest value that is read, characters. */
export const MAX_HEADER_CHARACTERS = 12_288;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** How many bytes are turned into characters at a time. */
const STEP = 4096;

/** A header's value. */
export function encodeHeader(value: unknown): string {
  const bytes = utf8(stringifyJson(value));
  let characters = "";
  for (let at = 0; at < bytes.length; at += STEP) {
    characters += String.fromCharCode(...bytes.subarray(at, at + STEP));
  }
  return btoa(characters);
}

/** The JSON of a header; undefined when there is none in it, or it is too long. */
export function decodeHeader(value: string | undefined): JsonValue | undefined {
  if (value === undefined || value.length > MAX_HEADER_CHARACTERS || !BASE64.test(value)) {
    return undefined;
  }
  try {
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
    return parseJson(utf8Text(bytes), { maxDepth: OUTSIDE_DEPTH });
  } catch {
    // Neither base64, UTF-8 nor JSON: as if it were not there.
    return undefined;
  }
}
