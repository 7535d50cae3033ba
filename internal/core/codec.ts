/**
 * BCS (Binary Canonical Serialization) as codecs that compose. One value has one encoding: trailing
 * bytes, non-minimal lengths, unsorted or repeated map keys, booleans other than 0 and 1 and bad
 * UTF-8 are errors. Every length has a bound, checked before anything is allocated.
 *
 * Source: the BCS specification (https://github.com/diem/bcs).
 */
import { compareBytes, equalBytes, toHex, utf8, utf8Text, writeHex } from "./bytes.ts";
import { SionError } from "./errors.ts";

/** `codec`: bytes that are not the canonical encoding of any value of the type. */
export type CodecErrorCode = "codec";

/** Default bound of a sequence's or byte string's length. */
export const MAX_LENGTH = 1 << 20;

function fail(what: string): never {
  throw new SionError<CodecErrorCode>("codec", `Cannot decode: ${what}`);
}

/** A writer keeps a buffer of up to this size for its next use: a signed unit fits. */
const KEPT_BUFFER_BYTES = 1 << 16;
/** Byte strings from this length on are read as views: copies of signatures would be most of a node's garbage. */
const VIEW_BYTES = 1 << 11;

/** Appends encodings to a buffer that grows. */
export class Writer {
  #buffer = new Uint8Array(256);
  #view = new DataView(this.#buffer.buffer);
  #length = 0;

  #room(n: number): number {
    const at = this.#length;
    this.#length += n;
    if (this.#length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(this.#length, 2 * this.#buffer.length));
      grown.set(this.#buffer.subarray(0, at));
      this.#buffer = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }
  u8(value: number): void {
    const at = this.#room(1);
    this.#buffer[at] = value;
  }
  u16(value: number): void {
    const at = this.#room(2);
    this.#view.setUint16(at, value, true);
  }
  u32(value: number): void {
    const at = this.#room(4);
    this.#view.setUint32(at, value, true);
  }
  u64(value: bigint): void {
    const at = this.#room(8);
    this.#view.setBigUint64(at, value, true);
  }
  /** Length prefix of sequences, at most 2³²−1. */
  uleb(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.u8(rest);
  }
  raw(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#buffer.set(bytes, at);
  }
  /** Text of up to 127 ASCII characters with its length; false, and nothing written, of any other. */
  shortAscii(text: string): boolean {
    if (text.length > 127) return false;
    const start = this.#room(text.length + 1);
    this.#buffer[start] = text.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        this.#length = start;
        return false;
      }
      this.#buffer[start + 1 + i] = code;
    }
    return true;
  }
  /** The bytes of lower-case hex. @throws {SyntaxError} when it is none. */
  hex(text: string): void {
    const at = this.#room(text.length >> 1);
    writeHex(this.#buffer, at, text);
  }
  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }
  /** Forgets what was written, and a buffer that grew large. */
  clear(): void {
    this.#length = 0;
    if (this.#buffer.length <= KEPT_BUFFER_BYTES) return;
    this.#buffer = new Uint8Array(256);
    this.#view = new DataView(this.#buffer.buffer);
  }
}

/** Reads encodings from the front of a byte string; never past its end. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #take(n: number): number {
    const at = this.#at;
    if (at + n > this.#bytes.length) fail("the bytes end too early");
    this.#at = at + n;
    return at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }
  /** Bytes read so far. */
  get position(): number {
    return this.#at;
  }
  u8(): number {
    return this.#bytes[this.#take(1)] as number;
  }
  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }
  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }
  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }
  uleb(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) fail("a length is not in its shortest form");
        if (value > 0xffff_ffff) fail("a length is beyond 32 bits");
        return value;
      }
    }
    return fail("a length is beyond 32 bits");
  }
  /** The next `n` bytes: a copy, or from 2 KiB on a view, which keeps all of what is read in memory. */
  raw(n: number): Uint8Array {
    const at = this.#take(n);
    return n < VIEW_BYTES ? this.#bytes.slice(at, at + n) : this.#bytes.subarray(at, at + n);
  }
}

/** How values of one type are written and read. Encoding a value out of range is a `TypeError`. */
export interface Codec<T> {
  write(to: Writer, value: T): void;
  read(from: Reader): T;
}

/** The type of a codec's values. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

/** Writers that no encoding is using: a buffer costs more to make than a small value to write. */
const idleWriters: Writer[] = [];

/** The one encoding of a value. */
export function encode<T>(codec: Pick<Codec<T>, "write">, value: T): Uint8Array {
  const writer = idleWriters.pop() ?? new Writer();
  try {
    codec.write(writer, value);
    return writer.finish();
  } finally {
    writer.clear();
    idleWriters.push(writer);
  }
}

/** The encoding of each value, as views of common memory. */
export function encodeEach<T>(codec: Codec<T>, values: readonly T[]): Uint8Array[] {
  const ends: number[] = [];
  const all = encode({
    write(to, list: readonly T[]) {
      for (const value of list) {
        codec.write(to, value);
        ends.push(to.length);
      }
    },
  }, values);
  return ends.map((end, i) => all.subarray(i === 0 ? 0 : ends[i - 1], end));
}

/** The value of an encoding. @throws {SionError} `codec` unless `bytes` is exactly one encoding. */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const reader = new Reader(bytes);
  const value = codec.read(reader);
  if (reader.left > 0) fail(`${reader.left} bytes follow the value`);
  return value;
}

function integer(bits: 8 | 16 | 32): Codec<number> {
  const limit = 2 ** bits;
  const method = `u${bits}` as const;
  return {
    write(to, value) {
      if (!Number.isInteger(value) || value < 0 || value >= limit) {
        throw new TypeError(`Cannot encode: ${value} is no ${bits}-bit unsigned integer`);
      }
      to[method](value);
    },
    read: (from) => from[method](),
  };
}

/** Unsigned integers, little endian. */
export const u8: Codec<number> = integer(8);
export const u16: Codec<number> = integer(16);
export const u32: Codec<number> = integer(32);
export const u64: Codec<bigint> = {
  write(to, value) {
    if (value < 0n || value > 0xffff_ffff_ffff_ffffn) {
      throw new TypeError(`Cannot encode: ${value} is no 64-bit unsigned integer`);
    }
    to.u64(value);
  },
  read: (from) => from.u64(),
};

/** An unsigned 128-bit integer, little endian. */
export const u128: Codec<bigint> = {
  write(to, value) {
    if (BigInt.asUintN(128, value) !== value) {
      throw new TypeError(`Cannot encode: ${value} is no 128-bit unsigned integer`);
    }
    to.u64(BigInt.asUintN(64, value));
    to.u64(value >> 64n);
  },
  read(from) {
    const low = from.u64();
    return low | (from.u64() << 64n);
  },
};

/** A signed 64-bit integer: two's complement, little endian. */
export const i64: Codec<bigint> = {
  write(to, value) {
    if (BigInt.asIntN(64, value) !== value) {
      throw new TypeError(`Cannot encode: ${value} is no 64-bit signed integer`);
    }
    to.u64(BigInt.asUintN(64, value));
  },
  read: (from) => BigInt.asIntN(64, from.u64()),
};

export const bool: Codec<boolean> = {
  write: (to, value) => to.u8(value ? 1 : 0),
  read(from) {
    const byte = from.u8();
    return byte > 1 ? fail(`${byte} is no boolean`) : byte === 1;
  },
};

/** Exactly `length` bytes, without a prefix. */
export function fixedBytes(length: number): Codec<Uint8Array> {
  return {
    write(to, value) {
      if (value.length !== length) {
        throw new TypeError(`Cannot encode: ${value.length} bytes where ${length} are needed`);
      }
      to.raw(value);
    },
    read: (from) => from.raw(length),
  };
}

/** A 32-byte hash or id as bytes. */
export const bytes32: Codec<Uint8Array> = fixedBytes(32);

/** A 32-byte id whose value in programs is 64 hex digits. */
export const id: Codec<string> = {
  write(to, value) {
    if (value.length !== 64) {
      throw new SyntaxError("Cannot write id: 64 lower-case hex digits are needed");
    }
    to.hex(value);
  },
  read: (from) => toHex(from.raw(32)),
};

/** Bytes with a length prefix, at most `max`. */
export function byteString(max: number = MAX_LENGTH): Codec<Uint8Array> {
  return {
    write(to, value) {
      if (value.length > max) throw new TypeError(`Cannot encode: more than ${max} bytes`);
      to.uleb(value.length);
      to.raw(value);
    },
    read(from) {
      const length = from.uleb();
      if (length > max) fail(`${length} bytes where at most ${max} are allowed`);
      return from.raw(length);
    },
  };
}

/** UTF-8 text with a byte length prefix, at most `max` bytes. */
export function text(max: number = MAX_LENGTH): Codec<string> {
  const inner = byteString(max);
  return {
    write(to, value) {
      if (value.length > max || !to.shortAscii(value)) inner.write(to, utf8(value));
    },
    read(from) {
      const bytes = inner.read(from);
      try {
        return utf8Text(bytes);
      } catch {
        return fail("text is not UTF-8");
      }
    },
  };
}

/** A value or `null`. */
export function option<T>(inner: Codec<T>): Codec<T | null> {
  return {
    write(to, value) {
      to.u8(value === null ? 0 : 1);
      if (value !== null) inner.write(to, value);
    },
    read(from) {
      const byte = from.u8();
      if (byte > 1) fail(`${byte} is no option tag`);
      return byte === 0 ? null : inner.read(from);
    },
  };
}

/**
 * A sequence with a length prefix, at most `max` items.
 * @param noun what errors call them. @default items
 */
export function list<T>(
  inner: Codec<T>,
  max: number = MAX_LENGTH,
  noun = "items",
): Codec<readonly T[]> {
  return {
    write(to, value) {
      if (value.length > max) throw new TypeError(`Cannot encode: more than ${max} ${noun}`);
      to.uleb(value.length);
      for (const item of value) inner.write(to, item);
    },
    read(from) {
      const length = from.uleb();
      if (length > max) fail(`${length} ${noun} where at most ${max} are allowed`);
      const items: T[] = [];
      for (let i = 0; i < length; i++) items.push(inner.read(from));
      return items;
    },
  };
}

/** Values in order, of different types. */
export function tuple<const C extends readonly Codec<never>[] | readonly Codec<unknown>[]>(
  ...codecs: C
): Codec<{ -readonly [K in keyof C]: ValueOf<C[K]> }> {
  type T = { -readonly [K in keyof C]: ValueOf<C[K]> };
  return {
    write(to, value) {
      codecs.forEach((codec, i) => (codec as Codec<unknown>).write(to, (value as unknown[])[i]));
    },
    read: (from) => codecs.map((codec) => (codec as Codec<unknown>).read(from)) as unknown as T,
  };
}

// deno-lint-ignore no-explicit-any -- the one place where a codec's type parameter is left open
type AnyCodec = Codec<any>;

/** A struct: its fields in the order given, without names. */
export function struct<F extends { readonly [name: string]: AnyCodec }>(
  fields: F,
): Codec<{ readonly [K in keyof F]: ValueOf<F[K]> }> {
  const entries = Object.entries(fields);
  return {
    write(to, value) {
      for (const [name, codec] of entries) codec.write(to, value[name as keyof F]);
    },
    read(from) {
      const out: Record<string, unknown> = {};
      for (const [name, codec] of entries) out[name] = codec.read(from);
      return out as { readonly [K in keyof F]: ValueOf<F[K]> };
    },
  };
}

/** A tagged union of `{kind, body}`: the variant's number as a ULEB128, then its body. */
export function union<V extends { readonly [kind: string]: readonly [tag: number, AnyCodec] }>(
  variants: V,
): Codec<
  { [K in keyof V & string]: { readonly kind: K; readonly body: ValueOf<V[K][1]> } }[
    & keyof V
    & string
  ]
> {
  type T = { [K in keyof V & string]: { readonly kind: K; readonly body: ValueOf<V[K][1]> } }[
    & keyof V
    & string
  ];
  const byTag = new Map<number, [string, AnyCodec]>();
  for (const [kind, [tag, codec]] of Object.entries(variants)) {
    if (byTag.has(tag)) throw new TypeError(`Two variants have the tag ${tag}`);
    byTag.set(tag, [kind, codec]);
  }
  return {
    write(to, value) {
      const variant = variants[value.kind];
      if (!variant) throw new TypeError(`Cannot encode: unknown kind ${value.kind}`);
      to.uleb(variant[0]);
      variant[1].write(to, value.body);
    },
    read(from) {
      const tag = from.uleb();
      const [kind, codec] = byTag.get(tag) ?? fail(`${tag} is no known kind`);
      return { kind, body: codec.read(from) } as T;
    },
  };
}

/** A map whose entries are in ascending order of their encoded keys, each key once. */
export function sortedMap<K, V>(
  key: Codec<K>,
  value: Codec<V>,
  max: number = MAX_LENGTH,
): Codec<ReadonlyMap<K, V>> {
  return {
    write(to, map) {
      if (map.size > max) throw new TypeError(`Cannot encode: more than ${max} entries`);
      if (map.size === 1) {
        to.uleb(1);
        for (const [k, v] of map) {
          key.write(to, k);
          value.write(to, v);
        }
        return;
      }
      const entries = [...map].map(([k, v]) => [encode(key, k), v] as const);
      entries.sort(([a], [b]) => compareBytes(a, b));
      to.uleb(entries.length);
      entries.forEach(([k, v], i) => {
        if (i > 0 && equalBytes(k, (entries[i - 1] as readonly [Uint8Array, V])[0])) {
          throw new TypeError("Cannot encode: a map has one key twice");
        }
        to.raw(k);
        value.write(to, v);
      });
    },
    read(from) {
      const length = from.uleb();
      if (length > max) fail(`${length} entries where at most ${max} are allowed`);
      const map = new Map<K, V>();
      let previous: Uint8Array | undefined;
      for (let i = 0; i < length; i++) {
        const k = key.read(from);
        const bytes = encode(key, k);
        if (previous && compareBytes(previous, bytes) >= 0) fail("a map's keys are not in order");
        previous = bytes;
        map.set(k, value.read(from));
      }
      return map;
    },
  };
}

/** A codec of another type, through a pair of maps; `from` may throw to refuse a value. */
export function mapped<A, B>(
  inner: Codec<A>,
  to: (value: B) => A,
  from: (value: A) => B,
): Codec<B> {
  return { write: (w, value) => inner.write(w, to(value)), read: (r) => from(inner.read(r)) };
}
