/** Byte strings: hex both ways, comparison, concatenation. */
import { bytesToHex } from "@noble/hashes/utils.js";

/** Lower-case hex, two digits a byte. */
export function toHex(bytes: Uint8Array): string {
  return bytesToHex(bytes);
}

/** Value of the hex digit with a character code, 255 for any other. */
const DIGITS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(code));
  return value < 0 ? 255 : value;
});

/**
 * Bytes of lower-case hex. Upper case is refused, so that one byte string has one text.
 * @throws {SyntaxError} on an odd length or another character.
 */
export function fromHex(text: string): Uint8Array {
  const out = new Uint8Array(text.length >> 1);
  writeHex(out, 0, text);
  return out;
}

/**
 * Writes the bytes of lower-case hex into `to`, which must have room, from `at` on.
 * @throws {SyntaxError} on an odd length or another character.
 */
export function writeHex(to: Uint8Array, at: number, text: string): void {
  if (text.length % 2 !== 0) throw new SyntaxError("Cannot read hex: the number of digits is odd");
  for (let i = 0, place = at; i < text.length; i += 2, place++) {
    const high = DIGITS[text.charCodeAt(i)] ?? 255;
    const low = DIGITS[text.charCodeAt(i + 1)] ?? 255;
    if ((high | low) > 15) {
      throw new SyntaxError("Cannot read hex: only the digits 0-9 and a-f are allowed");
    }
    to[place] = 16 * high + low;
  }
}

/** True when both have the same bytes. Not constant time: never for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lexicographic order of bytes: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const d = (a[i] as number) - (b[i] as number);
    if (d !== 0) return d;
  }
  return a.length - b.length;
}

/** One new array holding the parts in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const encoder = new TextEncoder();

/** UTF-8 bytes of well-formed text. @throws {TypeError} on a lone surrogate. */
export function utf8(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new TypeError("Cannot encode text: it holds a lone surrogate");
  return encoder.encode(text);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text of UTF-8 bytes, byte order mark kept. @throws {SyntaxError} when they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new SyntaxError("Cannot read text: the bytes are not UTF-8", { cause });
  }
}
