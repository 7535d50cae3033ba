/**
 * Cuts secrets out of what is shown: as they are, and as base64, base64url, hexadecimal, percent, JSON,
 * backslash and HTML escapes write them, also across line breaks and across the pieces of a stream.
 */
import { concatBytes, utf8 } from "./bytes.ts";

/** Characters from which on a secret is cut out: a shorter one is in any text by chance. */
export const MIN_REDACTED_LENGTH = 6;

/** Lines of a secret of several are secrets themselves from this length on. */
const MIN_LINE_LENGTH = 16;
/** White space in a row that may break an encoding up: a line break and an indent. */
const MAX_BREAK = 16;

/** Cuts secrets out. */
export interface Redactor {
  /** True when it has no secret to look for: it changes nothing. */
  readonly idle: boolean;
  /** A text with `[secret NAME]` in the place of each secret. */
  text(text: string): string;
  /** For bytes that come in pieces. */
  stream(): RedactionStream;
}

/** Bytes that come in pieces. What may be the beginning of a secret is held back until that is known. */
export interface RedactionStream {
  push(piece: Uint8Array): Uint8Array;
  /** The rest. */
  end(): Uint8Array;
}

/** How bytes of a pattern and of a text are compared. */
interface Form {
  /** What stands for a byte: the same for bytes that mean the same. */
  readonly fold: Uint8Array;
  /** Bytes that may stand between, without meaning; 0 or 1 for each. */
  readonly breaks: Uint8Array;
}

interface Pattern extends Form {
  readonly label: Uint8Array;
  /** Folded. */
  readonly bytes: Uint8Array;
  /** Whether escapes in the text are read; else only what is there byte for byte counts. */
  readonly escaped: boolean;
}

const IDENTITY: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => byte);

const code = (character: string): number => character.charCodeAt(0);

function form(alike: readonly (readonly [string, string])[], breaks: string): Form {
  const fold = IDENTITY.slice();
  for (const [one, other] of alike) fold[code(one)] = code(other);
  const marks = new Uint8Array(256);
  for (const byte of breaks) marks[code(byte)] = 1;
  return { fold, breaks: marks };
}

const PLAIN = form([], "");
const BASE64 = form([["-", "+"], ["_", "/"]], " \t\r\n");
const HEX = form(Array.from("ABCDEF").map((digit) => [digit, digit.toLowerCase()]), " \t\r\n:");

/** A redactor of named secrets. Those that are too short are let through. */
export function createRedactor(
  secrets: Iterable<readonly [name: string, value: string]>,
): Redactor {
  const patterns = [...secrets].flatMap(([name, value]) => patternsOf(name, value));
  const matcher = createMatcher(patterns);
  return {
    idle: patterns.length === 0,
    text(text) {
      if (patterns.length === 0) return text;
      const bytes = utf8(text.toWellFormed());
      const { out, changed } = matcher(bytes, true);
      return changed ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(out) : text;
    },
    stream() {
      let held: Uint8Array = new Uint8Array(0);
      return {
        push(piece) {
          if (patterns.length === 0) return piece;
          const bytes = held.length === 0 ? piece : concatBytes(held, piece);
          const { out, used } = matcher(bytes, false);
          held = bytes.slice(used);
          return out;
        },
        end() {
          const { out } = matcher(held, true);
          held = new Uint8Array(0);
          return out;
        },
      };
    },
  };
}

function patternsOf(name: string, value: string): readonly Pattern[] {
  const label = utf8(`[secret ${name}]`);
  const whole = value.length < MIN_REDACTED_LENGTH ? [] : formsOf(utf8(value));
  // A key of several lines is shown with line numbers or indented: its lines count by themselves.
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length < 2
    ? []
    : lines.filter((line) => line.length >= MIN_LINE_LENGTH && !line.startsWith("-----"))
      .map((line) => ({ ...PLAIN, bytes: utf8(line) }));
  return [...whole, ...parts].flatMap(({ fold, breaks, bytes }) =>
    [true, false].map((escaped) => ({
      label,
      fold,
      breaks,
      escaped,
      bytes: bytes.map((byte) => fold[byte] as number),
    }))
  );
}

function formsOf(secret: Uint8Array): readonly (Form & { readonly bytes: Uint8Array })[] {
  const inBase64 = [0, 1, 2].map((before) => ({ ...BASE64, bytes: base64Core(secret, before) }));
  const exact = [secret, concatBytes(secret, utf8("\n"))].map((bytes) => base64(bytes));
  return [
    { ...PLAIN, bytes: secret },
    ...[...exact, ...exact.map((text) => text.replace(/=+$/, ""))]
      .map((text) => ({ ...BASE64, bytes: utf8(text) })),
    ...inBase64.filter(({ bytes }) => bytes.length >= MIN_REDACTED_LENGTH),
    { ...HEX, bytes: utf8([...secret].map((byte) => byte.toString(16).padStart(2, "0")).join("")) },
  ];
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** The characters that a secret alone decides, when it stands after so many bytes of a base64 text. */
function base64Core(secret: Uint8Array, before: number): Uint8Array {
  const all = base64(concatBytes(new Uint8Array(before), secret));
  const bits = 8 * (before + secret.length);
  return utf8(all.slice(Math.ceil(8 * before / 6), Math.floor(bits / 6)));
}

/** What was done to bytes: what to show, how many were read, whether anything was cut out. */
interface Matched {
  readonly out: Uint8Array;
  readonly used: number;
  readonly changed: boolean;
}

/** Where a pattern ends that begins at a place; `MISS`, or `CUT` when the bytes end before that shows. */
const MISS = -1;
const CUT = -2;

function createMatcher(
  patterns: readonly Pattern[],
): (bytes: Uint8Array, last: boolean) => Matched {
  const starts: (readonly Pattern[])[] = Array.from(
    { length: 256 },
    (_, byte) =>
      patterns.filter((pattern) =>
        pattern.fold[byte] === pattern.bytes[0] ||
        (pattern.escaped && isEscape(byte))
      ),
  );
  const longestAt = (bytes: Uint8Array, at: number, last: boolean): Found => {
    let end = MISS;
    let label: Uint8Array | undefined;
    for (const pattern of starts[bytes[at] as number] as readonly Pattern[]) {
      const found = endOf(pattern, bytes, at);
      if (found === CUT && !last) return { end: CUT, label: undefined };
      if (found > end) [end, label] = [found, pattern.label];
    }
    return { end, label };
  };
  return (bytes, last) => {
    const out: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      const found = wholeAt(longestAt, bytes, at, last);
      if (found.end === CUT) break;
      if (found.label === undefined) {
        at++;
        continue;
      }
      out.push(bytes.subarray(from, at), found.label);
      from = at = found.end;
    }
    out.push(bytes.subarray(from, at));
    return { out: concatBytes(...out), used: at, changed: out.length > 1 };
  };
}

type Found = { readonly end: number; readonly label: Uint8Array | undefined };
type Finder = (bytes: Uint8Array, at: number, last: boolean) => Found;

/** What begins at a place, with all that begins inside it and goes on behind it. */
function wholeAt(longestAt: Finder, bytes: Uint8Array, at: number, last: boolean): Found {
  const first = longestAt(bytes, at, last);
  if (first.label === undefined) return first;
  let { end } = first;
  for (let inside = at + 1; inside < end; inside++) {
    const other = longestAt(bytes, inside, last);
    if (other.end === CUT) return other;
    end = Math.max(end, other.end);
  }
  return { end, label: first.label };
}

function endOf(pattern: Pattern, bytes: Uint8Array, start: number): number {
  const { bytes: wanted, fold, breaks, escaped } = pattern;
  let [at, broken] = [start, 0];
  for (let next = 0; next < wanted.length;) {
    if (at >= bytes.length) return CUT;
    const byte = bytes[at] as number;
    const unit = escaped && isEscape(byte) ? unescaped(bytes, at) : undefined;
    if (unit === "cut") return CUT;
    if (unit !== undefined && startsWith(wanted, next, unit.bytes, fold)) {
      [at, next, broken] = [at + unit.length, next + unit.bytes.length, 0];
    } else if (fold[byte] === wanted[next]) {
      [at, next, broken] = [at + 1, next + 1, 0];
    } else {
      const between = byte === PLUS ? byte : unit?.bytes[0] ?? byte;
      if (next === 0 || breaks[between] === 0 || ++broken > MAX_BREAK) return MISS;
      at += unit?.length ?? 1;
    }
  }
  return at;
}

function startsWith(
  wanted: Uint8Array,
  from: number,
  bytes: Uint8Array,
  fold: Uint8Array,
): boolean {
  return bytes.every((byte, i) => wanted[from + i] === fold[byte]);
}

const PERCENT = code("%");
const BACKSLASH = code("\\");
const AMPERSAND = code("&");
const PLUS = code("+");

function isEscape(byte: number): boolean {
  return byte === PERCENT || byte === BACKSLASH || byte === AMPERSAND || byte === PLUS;
}

/** What an escape stands for, and its length; `cut` when the bytes end in it. */
type Unit = { readonly bytes: Uint8Array; readonly length: number } | "cut" | undefined;

/** The longest escape: `\ud83d\ude00`. */
const MAX_ESCAPE = 12;

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

/** Escapes as they begin, whole; in a text of Latin-1 characters. */
const WHOLE =
  /^(?:%(?<percent>[0-9a-f]{2})|\\x(?<byte>[0-9a-f]{2})|\\u(?<high>d[89ab][0-9a-f]{2})\\u(?<low>d[c-f][0-9a-f]{2})|\\u(?<unit>[0-9a-f]{4})|\\(?<short>[^ux])|&(?<entity>amp|apos|gt|lt|quot);|&#(?<decimal>[0-9]{1,5});|&#x(?<hex>[0-9a-f]{1,5});|(?<space>\+))/i;
/** Texts that may become one when more comes. */
const BEGUN =
  /^(?:%[0-9a-f]?|\\|\\x[0-9a-f]?|\\u[0-9a-f]{0,3}|\\ud[89ab][0-9a-f]{2}(?:\\(?:u[0-9a-f]{0,3})?)?|&[a-z]{0,4}|&#x?[0-9a-f]{0,5})$/i;

function unescaped(bytes: Uint8Array, at: number): Unit {
  const text = String.fromCharCode(...bytes.subarray(at, at + MAX_ESCAPE));
  if (at + text.length === bytes.length && BEGUN.test(text)) return "cut";
  const found = WHOLE.exec(text);
  if (found === null) return undefined;
  const groups = found.groups ?? {};
  const { length } = found[0];
  const number = groups["percent"] ?? groups["byte"];
  if (number !== undefined) return { bytes: Uint8Array.of(parseInt(number, 16)), length };
  return { bytes: utf8(characterOf(groups).toWellFormed()), length };
}

function characterOf(groups: { readonly [name: string]: string | undefined }): string {
  const { high, low, unit, short, entity, decimal, hex } = groups;
  if (high !== undefined && low !== undefined) {
    return String.fromCharCode(parseInt(high, 16), parseInt(low, 16));
  }
  if (unit !== undefined) return String.fromCharCode(parseInt(unit, 16));
  if (short !== undefined) return SHORT[short] ?? short;
  if (entity !== undefined) return ENTITIES[entity.toLowerCase()] as string;
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
  return " ";
}
