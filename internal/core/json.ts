/**
 * Exact JSON: integers outside the safe range of a double are kept as `bigint` both ways, and keys
 * can be put in alphabetical order, which every output of sion has.
 *
 * Uses V8's source text access of `JSON.parse` and `JSON.rawJSON` (ECMAScript proposal, in both
 * runtimes).
 */

/** A JSON value in which an integer may be a `bigint`. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const INTEGER = /^-?\d+$/;
/** Digits of the least integer that a double may not hold: 2⁵³ has sixteen. */
const LONG_NUMBER = /\d{16}/;

/** How deep what comes from outside may be nested. */
export const OUTSIDE_DEPTH = 64;

/**
 * Parses JSON. Integer literals beyond ±(2⁵³−1) become `bigint`; all other numbers are doubles.
 * @param maxDepth how deep arrays and objects may be nested, found before anything is parsed: what
 * is nested a million deep takes seconds to walk. @default any depth
 * @throws {SyntaxError} when the text is not JSON, or too deep.
 */
export function parseJson(text: string, options: { readonly maxDepth?: number } = {}): JsonValue {
  if (options.maxDepth !== undefined && isDeeper(text, options.maxDepth)) {
    throw new SyntaxError(`Cannot read JSON: it is nested deeper than ${options.maxDepth}`);
  }
  // Walking every value is most of the work, and only for numbers that a double cannot hold.
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonValue;
  return parseWithSource(text, (_key, value, { source }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    return source !== undefined && INTEGER.test(source) ? BigInt(source) : value;
  }) as JsonValue;
}

/**
 * Writes JSON with keys in alphabetical order (by UTF-16 code unit), `bigint` as an integer
 * literal, `undefined` members left out.
 * @param indent spaces a level; 0 (the default) is compact, without any white space.
 * @throws {TypeError} on NaN and infinities, which JSON cannot hold.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  return JSON.stringify(plainJson(value), null, indent) ?? "null";
}

/** Counts brackets outside of strings; of a text that is no JSON the answer means nothing. */
function isDeeper(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (++depth > maxDepth) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
    }
  }
  return false;
}

/** Where the string that begins at `from` has its closing quote; the text's end without one. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/**
 * A value that `JSON.stringify` writes as `stringifyJson` does, for libraries that write JSON
 * themselves. @throws {TypeError} on NaN and infinities
 */
export function plainJson(value: unknown): unknown {
  if (typeof value === "bigint") return rawJson(value.toString());
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`Cannot write JSON: ${value} is not a JSON number`);
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plainJson);
  const out: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) out[key] = plainJson(member);
  }
  return out;
}
