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

const INTEGER = /^-?\d+$/;

/**
 * Parses JSON. Integer literals beyond ±(2⁵³−1) become `bigint`; all other numbers are doubles.
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string): JsonValue {
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
  return JSON.stringify(toPlain(value), null, indent) ?? "null";
}

function toPlain(value: unknown): unknown {
  if (typeof value === "bigint") return rawJson(value.toString());
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`Cannot write JSON: ${value} is not a JSON number`);
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(toPlain);
  const out: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) out[key] = toPlain(member);
  }
  return out;
}
