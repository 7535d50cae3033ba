/**
 * Escapes as they stand in bytes of text, of percent and form encoding, JSON, backslashes and HTML, read
 * at any place without knowing which writing it is.
 */
import { utf8 } from "./bytes.ts";

const code = (character: string): number => character.charCodeAt(0);

const PERCENT = code("%");
const BACKSLASH = code("\\");
const AMPERSAND = code("&");
/** In forms of the web it stands for a space, elsewhere for itself. */
export const PLUS: number = code("+");

/** Whether a byte begins an escape of some writing. */
export function isEscape(byte: number): boolean {
  return byte === PERCENT || byte === BACKSLASH || byte === AMPERSAND || byte === PLUS;
}

/** What an escape stands for, and its length; `cut` when the bytes end in it. */
export type Unit = { readonly bytes: Uint8Array; readonly length: number } | "cut" | undefined;

const SHORT: { readonly [letter: string]: string } = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const ENTITIES: { readonly [name: string]: string } = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

const SPACE: Unit = { bytes: Uint8Array.of(32), length: 1 };

/** What the escape at a place stands for; `undefined` when there is none. */
export function unescaped(bytes: Uint8Array, at: number): Unit {
  const byte = bytes[at] as number;
  if (byte === PLUS) return SPACE;
  if (byte === PERCENT) return hexUnit(bytes, at, 1, 2);
  if (byte === AMPERSAND) return entity(bytes, at);
  const letter = bytes[at + 1];
  if (letter === undefined) return "cut";
  if (letter === code("x")) return hexUnit(bytes, at, 2, 2);
  if (letter !== code("u")) {
    const character = String.fromCharCode(letter);
    return { bytes: utf8(SHORT[character] ?? character), length: 2 };
  }
  const first = hexAt(bytes, at + 2, 4);
  if (first === undefined || first === "cut") return first;
  const isHigh = (first & 0xfc00) === 0xd800;
  const low = isHigh ? lowAt(bytes, at + 6) : undefined;
  if (low === "cut") return low;
  const text = String.fromCharCode(first, ...(low === undefined ? [] : [low])).toWellFormed();
  return { bytes: utf8(text), length: low === undefined ? 6 : 12 };
}

/** The second half of a character beyond the first 65,536, if one is escaped there. */
function lowAt(bytes: Uint8Array, at: number): number | "cut" | undefined {
  if (at >= bytes.length) return "cut";
  if (bytes[at] !== BACKSLASH) return undefined;
  if (at + 1 >= bytes.length) return "cut";
  if (bytes[at + 1] !== code("u")) return undefined;
  const unit = hexAt(bytes, at + 2, 4);
  return typeof unit === "number" && (unit & 0xfc00) !== 0xdc00 ? undefined : unit;
}

/** A byte that is written in hexadecimal behind what begins the escape. */
function hexUnit(bytes: Uint8Array, at: number, before: number, digits: number): Unit {
  const value = hexAt(bytes, at + before, digits);
  return typeof value === "number"
    ? { bytes: Uint8Array.of(value), length: before + digits }
    : value;
}

function hexAt(bytes: Uint8Array, at: number, digits: number): number | "cut" | undefined {
  let value = 0;
  for (let i = at; i < at + digits; i++) {
    const byte = bytes[i];
    if (byte === undefined) return "cut";
    const digit = digitOf(byte);
    if (digit === undefined) return undefined;
    value = 16 * value + digit;
  }
  return value;
}

function digitOf(byte: number): number | undefined {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : undefined;
}

/** The longest: `&#x1f600;`. */
const MAX_ENTITY = 10;

function entity(bytes: Uint8Array, at: number): Unit {
  let name = "";
  for (let i = at + 1; i < at + MAX_ENTITY; i++) {
    const byte = bytes[i];
    if (byte === undefined) return "cut";
    if (byte === code(";")) {
      const character = entityOf(name);
      return character === undefined
        ? undefined
        : { bytes: utf8(character), length: name.length + 2 };
    }
    const isPart = byte === code("#") || digitOf(byte) !== undefined ||
      (byte | 32) >= 97 && (byte | 32) <= 122;
    if (!isPart) return undefined;
    name += String.fromCharCode(byte);
  }
  return undefined;
}

function entityOf(name: string): string | undefined {
  const number = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name);
  if (number === null) return ENTITIES[name.toLowerCase()];
  const value = number[1] === undefined ? Number(number[2]) : parseInt(number[1], 16);
  return value > 0x10ffff ? undefined : String.fromCodePoint(value).toWellFormed();
}
