/**
 * Shapes of the values that node and client exchange as exact JSON. A shape reads a parsed JSON
 * value into its program form or refuses it, naming the place; the other way needs nothing, since
 * `stringifyJson` writes the program form. Small on purpose: every command loads it at start
 * (a general schema library costs 15 to 60 ms there).
 */
import { fromHex, isHex64, SionError } from "#internal/core/mod.ts";
import type { Id } from "#internal/core/mod.ts";

/** `wire`: a value has not the shape that the contract gives it; the message names the place. */
export type WireErrorCode = "wire";

/** How one type of value is read. `text` describes it for the reference documentation. */
export interface Wire<T> {
  readonly text: string;
  /** The members of an object's shape, or those of a list's items, for the reference. */
  readonly members?: { readonly [name: string]: Wire<unknown> };
  /** @throws {SionError} `wire` unless `value` has the shape; `at` names its place. */
  parse(value: unknown, at: string): T;
}

/** The program form of a shape's values. */
export type WireOf<W> = W extends Wire<infer T> ? T : never;

/** The largest integer that a ledger field holds: 2⁶⁴−1. */
const U64_MAX = 0xffff_ffff_ffff_ffffn;

function refuse(at: string, needed: string): never {
  throw new SionError<WireErrorCode>("wire", `Cannot read ${at}: ${needed} is needed`);
}

/** A shape from a test: `read` answers the value, or `undefined` to refuse it. */
function shape<T>(text: string, read: (value: unknown) => T | undefined): Wire<T> {
  return {
    text,
    parse(value, at) {
      const found = read(value);
      return found === undefined ? refuse(at, text) : found;
    },
  };
}

/** `true` or `false`. */
export const flag: Wire<boolean> = shape(
  "a boolean",
  (value) => typeof value === "boolean" ? value : undefined,
);

// deno-lint-ignore no-explicit-any -- an id of whatever the place where it stands says
type AnyId = Id<any>;

/** An id: 64 lower-case hex digits. */
export const hex64: Wire<AnyId> = shape(
  "64 lower-case hex digits",
  (value) => typeof value === "string" && isHex64(value) ? value : undefined,
);

/** An unsigned 64-bit integer: amounts in micro-units, sequences. Always a `bigint` in programs. */
export const u64: Wire<bigint> = shape("an integer from 0 to 2^64-1", (value) => {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  return typeof value === "bigint" && value >= 0n && value <= U64_MAX ? value : undefined;
});

/** An integer from 0 to `max`, a plain number in programs: counts, Pulses, rounds, durations. */
export function count(max: number = Number.MAX_SAFE_INTEGER): Wire<number> {
  const text = max === Number.MAX_SAFE_INTEGER
    ? "an integer of 0 or more"
    : `an integer from 0 to ${max}`;
  return shape(
    text,
    (value) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= max
        ? value
        : undefined,
  );
}

/** Text of at most `max` UTF-16 code units. */
export function string(max: number): Wire<string> {
  return shape(
    `text of at most ${max} characters`,
    (value) => typeof value === "string" && value.length <= max ? value : undefined,
  );
}

/** Bytes as lower-case hex, at most `maxBytes` of them; or as they are, where no JSON is between. */
export function hex(maxBytes: number): Wire<Uint8Array> {
  return shape(`lower-case hex of at most ${maxBytes} bytes`, (value) => {
    if (value instanceof Uint8Array) return value.length <= maxBytes ? value : undefined;
    if (typeof value !== "string" || value.length > 2 * maxBytes) return undefined;
    try {
      return fromHex(value);
    } catch {
      return undefined;
    }
  });
}

/** Lower-case hex of at most `maxBytes` bytes, kept as text. */
export function hexText(maxBytes: number): Wire<string> {
  return shape(hex(maxBytes).text, (value) => {
    if (typeof value !== "string" || value.length > 2 * maxBytes) return undefined;
    return value.length % 2 === 0 && !/[^0-9a-f]/.test(value) ? value : undefined;
  });
}

/** One of a few words. */
export function oneOf<const W extends readonly string[]>(...words: W): Wire<W[number]> {
  return shape(
    `one of ${words.join(", ")}`,
    (value) => words.find((word) => word === value),
  );
}

/** A list of at most `max` items. */
export function list<T>(item: Wire<T>, max: number): Wire<readonly T[]> {
  const text = `a list of at most ${max} items, each ${item.text}`;
  return {
    text,
    ...membersOf(item),
    parse(value, at) {
      if (!Array.isArray(value) || value.length > max) refuse(at, text);
      return value.map((entry, index) => item.parse(entry, `${at}[${index}]`));
    },
  };
}

/** A fixed number of values in order. */
export function sequence<const W extends readonly Wire<unknown>[]>(
  ...items: W
): Wire<{ readonly [K in keyof W]: WireOf<W[K]> }> {
  type T = { readonly [K in keyof W]: WireOf<W[K]> };
  const text = `a list of ${items.length} items`;
  return {
    text,
    parse(value, at) {
      if (!Array.isArray(value) || value.length !== items.length) refuse(at, text);
      return items.map((item, index) =>
        item.parse(value[index], `${at}[${index}]`)
      ) as unknown as T;
    },
  };
}

/** A value or `null`. */
export function nullable<T>(inner: Wire<T>): Wire<T | null> {
  return {
    text: `${inner.text}, or null`,
    ...membersOf(inner),
    parse: (value, at) => value === null ? null : inner.parse(value, at),
  };
}

/** A member that may be missing. */
export function optional<T>(inner: Wire<T>): Wire<T | undefined> {
  return {
    text: `${inner.text} (may be missing)`,
    ...membersOf(inner),
    parse: (value, at) => value === undefined ? undefined : inner.parse(value, at),
  };
}

function membersOf({ members }: Wire<unknown>): Pick<Wire<unknown>, "members"> {
  return members === undefined ? {} : { members };
}

/** Any JSON value, unchecked: data that the receiver reads by other rules. */
export const json: Wire<unknown> = { text: "any JSON value", parse: (value) => value };

/** Members whose shape admits `undefined` may be missing; the others must be there. */
export type RecordOf<F extends { readonly [name: string]: Wire<unknown> }> =
  & { readonly [K in keyof F as undefined extends WireOf<F[K]> ? never : K]: WireOf<F[K]> }
  & {
    readonly [K in keyof F as undefined extends WireOf<F[K]> ? K : never]?: Exclude<
      WireOf<F[K]>,
      undefined
    >;
  };

/**
 * An object with the members given. What a client sends is `closed`: an unknown member is an error.
 * What a node answers is `open`: unknown members are passed over, since members are only ever added.
 */
export function record<const F extends { readonly [name: string]: Wire<unknown> }>(
  fields: F,
  extra: "closed" | "open" = "open",
): Wire<RecordOf<F>> {
  const names = Object.keys(fields);
  const text = `an object {${names.join(", ")}}`;
  return {
    text,
    members: fields,
    parse(value, at) {
      if (value === null || typeof value !== "object" || Array.isArray(value)) refuse(at, text);
      const given = value as Record<string, unknown>;
      if (extra === "closed") {
        const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
        if (unknown !== undefined) {
          const shown = unknown.slice(0, 40);
          throw new SionError<WireErrorCode>("wire", `Cannot read ${at}: ${shown} is no member`);
        }
      }
      const out: Record<string, unknown> = {};
      for (const name of names) {
        const inner = Object.hasOwn(given, name) ? given[name] : undefined;
        const read = (fields[name] as Wire<unknown>).parse(inner, `${at}.${name}`);
        if (read !== undefined) out[name] = read;
      }
      return out as RecordOf<F>;
    },
  };
}
