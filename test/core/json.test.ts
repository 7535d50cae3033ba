import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OUTSIDE_DEPTH, parseJson, stringifyJson } from "#internal/core/mod.ts";

describe("parseJson()", () => {
  it("keeps integers beyond 2^53 exactly, both ways [L-124]", () => {
    const text = '{"epoch_end":9223372036854775807,"n":-9007199254740993}';
    expect(parseJson(text)).toEqual({
      epoch_end: 9223372036854775807n,
      n: -9007199254740993n,
    });
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it("reads safe integers and fractions as numbers", () => {
    expect(parseJson("[9007199254740991,1.5,1e3,-0.25]")).toEqual([
      9007199254740991,
      1.5,
      1000,
      -0.25,
    ]);
  });

  it("keeps every 64-bit integer through a round trip", () => {
    fc.assert(fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), (n) => {
      expect(BigInt(parseJson(stringifyJson(n)) as number | bigint)).toBe(n);
    }));
  });

  it("does not let a key reach a prototype", () => {
    const value = parseJson('{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}');
    expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect(({} as { y?: unknown }).y).toBeUndefined();
  });

  it("refuses what is nested deeper than it may be, before it is parsed", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    expect(() => parseJson(nested(64), { maxDepth: 64 })).not.toThrow();
    expect(() => parseJson(nested(65), { maxDepth: 64 })).toThrow("nested deeper than 64");
    const unended = `${'{"a":['.repeat(500_000)}`;
    expect(() => parseJson(unended, { maxDepth: OUTSIDE_DEPTH })).toThrow("nested deeper than 64");
    expect(parseJson(nested(65))).toBeInstanceOf(Array);
  });

  it("counts no brackets in strings, nor those that are closed, as depth", () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 3 }), fc.string(), (value, text) => {
      const written = stringifyJson([value, `[{${text}"\\`, [[]], [[]]]);
      expect(parseJson(written, { maxDepth: 5 })).toEqual(parseJson(written));
    }));
    expect(() => parseJson('{"a":"[\\"[[","b":[[]]}', { maxDepth: 3 })).not.toThrow();
    expect(() => parseJson('{"a":"\\\\","b":[[]]}', { maxDepth: 2 })).toThrow("nested deeper");
  });

  it.each(["", "{", "[1,]", "01", "nul", '"\u0001"'])("refuses %j", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});

describe("stringifyJson()", () => {
  it("puts keys in alphabetical order at every depth and leaves out undefined [L-075]", () => {
    expect(stringifyJson({ b: { d: 1, c: [{ z: 1, y: 2n }] }, a: undefined })).toBe(
      '{"b":{"c":[{"y":2,"z":1}],"d":1}}',
    );
  });

  it("keeps a member named __proto__", () => {
    const text = '{"__proto__":1,"a":2}';
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it("indents like JSON.stringify()", () => {
    expect(stringifyJson({ a: [1], b: {} }, 2)).toBe('{\n  "a": [\n    1\n  ],\n  "b": {}\n}');
  });

  it("refuses numbers that JSON does not have", () => {
    expect(() => stringifyJson({ a: Number.NaN })).toThrow("NaN is not a JSON number");
  });

  it("writes what JSON.parse() reads back, for any value", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(stringifyJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }));
  });
});
