import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bool,
  byteString,
  type Codec,
  decode,
  encode,
  encodeEach,
  fixedBytes,
  fromHex,
  id,
  list,
  mapped,
  option,
  sortedMap,
  struct,
  text,
  toHex,
  tuple,
  u16,
  u32,
  u64,
  u8,
  union,
} from "#internal/core/mod.ts";

/** Examples of the BCS specification's own text (https://github.com/diem/bcs). */
const published: [string, Codec<never>, unknown, string][] = [
  ["a boolean", bool as Codec<never>, true, "01"],
  ["a u16", u16 as Codec<never>, 4660, "3412"],
  ["a u32", u32 as Codec<never>, 305419896, "78563412"],
  ["a u64", u64 as Codec<never>, 1311768467750121216n, "00efcdab78563412"],
  ["an option that is there", option(u8) as Codec<never>, 8, "0108"],
  ["an option that is not", option(u8) as Codec<never>, null, "00"],
  ["a vector", list(u16) as Codec<never>, [1, 2], "0201000200"],
  [
    "a string",
    text() as Codec<never>,
    "çå∞≠¢õß∂ƒ∫",
    "18c3a7c3a5e2889ee289a0c2a2c3b5c39fe28882c692e288ab",
  ],
  ["a tuple", tuple(u8, text()) as Codec<never>, [1, "diem"], "01046469656d"],
  [
    "a map",
    sortedMap(tuple(u8), tuple(u8, u8)) as Codec<never>,
    new Map<unknown, unknown>([[[2], [1, 2]], [[1], [3, 4]]]),
    "020103040201" + "02",
  ],
];

describe("the BCS codec", () => {
  it.each(published)("writes and reads %s as published", (_name, codec, value, hex) => {
    expect(toHex(encode(codec, value as never))).toBe(hex);
    expect(decode(codec, fromHex(hex))).toEqual(
      value instanceof Map ? new Map([...value].sort()) : value,
    );
  });

  it.each([
    ["trailing bytes", u8, "0102"],
    ["an early end", u32, "010203"],
    ["a boolean of 2", bool, "02"],
    ["an option tag of 2", option(u8), "0201"],
    ["a length in a longer form", list(u8), "8000"],
    ["a length beyond 32 bits", list(u8), "ffffffff1f"],
    ["a length without an end", list(u8), "ffffffffff01"],
    ["a length beyond the bytes there are", byteString(), "ff7f00"],
    ["text that is not UTF-8", text(), "01ff"],
    ["an encoded surrogate", text(), "03eda080"],
    ["map keys out of order", sortedMap(u8, u8), "0205010201"],
    ["a map key twice", sortedMap(u8, u8), "0205010502"],
    ["an unknown variant", union({ a: [0, u8] }), "0100"],
    ["a variant's tag in a longer form", union({ a: [1, u8] }), "810001"],
  ] as [string, Codec<unknown>, string][])("refuses %s", (_name, codec, hex) => {
    expect(() => decode(codec, fromHex(hex))).toThrow(expect.objectContaining({ code: "codec" }));
  });

  it("keeps a byte order mark in text", () => {
    expect(decode(text(), fromHex("04efbbbf41"))).toBe("\ufeffA");
  });

  it.each([
    [() => encode(u8, 256)],
    [() => encode(u8, 1.5)],
    [() => encode(u64, -1n)],
    [() => encode(u64, 1n << 64n)],
    [() => encode(fixedBytes(2), new Uint8Array(3))],
    [() => encode(text(), "\ud800")],
    [() => encode(list(u8, 1), [1, 2])],
    [() => encode(union({ a: [0, u8] }), { kind: "b", body: 1 } as never)],
  ])("refuses to write a value out of range %#", (run) => {
    expect(run).toThrow(TypeError);
  });

  it("refuses a length above the codec's bound before it allocates", () => {
    expect(() => decode(list(u8, 4), fromHex("8080808008"))).toThrow("at most 4");
  });
});

const shape = struct({
  chain: fixedBytes(32),
  to: id,
  amount: u64,
  memo: text(64),
  notes: list(option(u16), 8),
  extra: sortedMap(u8, byteString(8), 4),
  what: union({ none: [0, struct({})], pair: [5, tuple(bool, u32)] }),
});
type Shape = typeof shape extends Codec<infer T> ? T : never;
const bytes = (n: number) => fc.uint8Array({ minLength: n, maxLength: n });
const anyShape: fc.Arbitrary<Shape> = fc.record({
  chain: bytes(32),
  to: bytes(32).map(toHex),
  amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  memo: fc.string({ maxLength: 16, unit: "grapheme-ascii" }),
  notes: fc.array(fc.option(fc.nat(65535)), { maxLength: 8 }),
  extra: fc.uniqueArray(fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 8 })), {
    maxLength: 4,
    selector: ([k]) => k,
  }).map((entries) => new Map(entries.sort(([a], [b]) => a - b))),
  what: fc.oneof(
    fc.constant({ kind: "none" as const, body: {} }),
    fc.tuple(fc.boolean(), fc.nat(2 ** 32 - 1)).map((body) => ({ kind: "pair" as const, body })),
  ),
});

describe("a composed codec", () => {
  it("reads back whatever it writes", () => {
    fc.assert(fc.property(anyShape, (value) => {
      expect(decode(shape, encode(shape, value))).toEqual(value);
    }));
  });

  it("has one encoding a value: whatever decodes encodes to the same bytes", () => {
    fc.assert(
      fc.property(anyShape, fc.nat(), fc.nat(255), (value, at, byte) => {
        const mutated = encode(shape, value);
        mutated[at % mutated.length] = byte;
        let read: Shape;
        try {
          read = decode(shape, mutated);
        } catch (error) {
          expect(error).toMatchObject({ code: "codec" });
          return;
        }
        expect(toHex(encode(shape, read))).toBe(toHex(mutated));
      }),
      { numRuns: 500 },
    );
  });

  it("never throws anything but its own error on random bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
      try {
        decode(shape, random);
      } catch (error) {
        expect(error).toMatchObject({ code: "codec" });
      }
    }));
  });
});

describe("mapped()", () => {
  it("carries a codec over to another type", () => {
    const hex = mapped(byteString(), fromHex, toHex);
    expect(decode(hex, encode(hex, "c0ffee"))).toBe("c0ffee");
  });
});

describe("encodeEach()", () => {
  it("gives each value's own encoding, of views that share memory", () => {
    fc.assert(fc.property(fc.array(fc.string({ maxLength: 300 })), (values) => {
      const each = encodeEach(text(), values);
      expect(each.map(toHex)).toEqual(values.map((value) => toHex(encode(text(), value))));
      expect(new Set(each.map(({ buffer }) => buffer)).size).toBe(Math.min(values.length, 1));
    }));
  });
});
