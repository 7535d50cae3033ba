import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  sha256,
  sha256Many,
  sha256Pairs,
  taggedHash,
  taggedHashMany,
} from "#internal/crypto/mod.ts";
import { LruMap } from "../../internal/crypto/lru.ts";
import { kernelFile } from "../../scripts/gen-kernel.ts";

describe("the kernel", () => {
  it("kernel_wasm.ts is what its sources in scripts/kernel give", async () => {
    const path = new URL("../../internal/crypto/kernel/kernel_wasm.ts", import.meta.url);
    expect(readFileSync(path, "utf8")).toBe(await kernelFile());
  });
});

describe("sha256Pairs()", () => {
  const hash32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

  it("sha256Pairs() gives SHA-256 of the prefix and each pair", () => {
    fc.assert(
      fc.property(fc.nat(255), fc.array(fc.tuple(hash32, hash32), { maxLength: 9 }), (p, pairs) => {
        const expected = pairs.map(([l, r]) => sha256(Uint8Array.of(p), l, r));
        expect(sha256Pairs(p, pairs.flat())).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("sha256Pairs() gives the same over several fillings of the kernel's memory", () => {
    const values = Array.from({ length: 2 * 2051 }, (_, i) => sha256(Uint8Array.of(i, i >> 8)));
    const hashes = sha256Pairs(1, values);
    expect(hashes).toHaveLength(2051);
    for (const i of [0, 1, 1023, 1024, 2047, 2048, 2050]) {
      const [left, right] = values.slice(2 * i) as [Uint8Array, Uint8Array];
      expect(hashes[i]).toEqual(sha256(Uint8Array.of(1), left, right));
    }
  });

  it("sha256Pairs() refuses half a pair and values that are not 32 bytes", () => {
    expect(() => sha256Pairs(0, [sha256()])).toThrow(TypeError);
    expect(() => sha256Pairs(0, [sha256(), new Uint8Array(31)])).toThrow(TypeError);
  });
});

describe("sha256Many()", () => {
  it("sha256Many() gives SHA-256 of the prefix and each message, whatever the lengths", () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), messages, (prefix, list) => {
        expect(sha256Many(prefix, list)).toEqual(list.map((message) => sha256(prefix, message)));
      }),
      { numRuns: 60 },
    );
  });

  it("sha256Many() pads right at every length around the ends of blocks, short and long", () => {
    const prefix = Uint8Array.of(7);
    const lengths = [0, 53, 54, 55, 62, 63, 64, 118, 119, 1013, 1014, 1015, 1077, 1078, 1079, 5000];
    const messages = lengths.flatMap((n) => [1, 2, 3, 4].map((x) => new Uint8Array(n).fill(x)));
    expect(sha256Many(prefix, messages)).toEqual(messages.map((one) => sha256(prefix, one)));
  });

  it("sha256Many() gives the same over several fillings of the kernel's memory", () => {
    const messages = Array.from({ length: 1500 }, (_, i) => new Uint8Array(200).fill(i));
    const hashes = sha256Many(new Uint8Array(), messages);
    expect(hashes).toHaveLength(1500);
    for (const i of [0, 255, 256, 511, 512, 1499]) {
      expect(hashes[i]).toEqual(sha256(messages[i] as Uint8Array));
    }
  });
});

describe("taggedHashMany()", () => {
  it("taggedHashMany() gives taggedHash() of each content", () => {
    const contents = Array.from({ length: 9 }, (_, i) => new Uint8Array(20 * i).fill(i));
    expect(taggedHashMany("sion/object/v1", contents))
      .toEqual(contents.map((content) => taggedHash("sion/object/v1", content)));
    expect(() => taggedHashMany("", contents)).toThrow(TypeError);
  });
});

describe("LruMap", () => {
  it("LruMap forgets what was used longest ago", () => {
    const map = new LruMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    expect(map.get("a")).toBe(1);
    map.set("c", 3);
    expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([1, undefined, 3, 2]);
    map.set("c", 4);
    expect([map.get("c"), map.size]).toEqual([4, 2]);
  });
});
