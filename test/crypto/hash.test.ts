import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatBytes, toHex, utf8 } from "#internal/core/mod.ts";
import { sha256, taggedHash } from "#internal/crypto/mod.ts";

describe("sha256()", () => {
  it("sha256() gives the FIPS 180-4 examples", () => {
    expect(toHex(sha256())).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    expect(toHex(sha256(utf8("abc")))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    const long = utf8("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
    expect(toHex(sha256(long))).toBe(
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    );
  });

  it("sha256() hashes the parts joined, however they are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 }), (parts) => {
        const joined = createHash("sha256").update(concatBytes(...parts)).digest("hex");
        expect(toHex(sha256(...parts))).toBe(joined);
      }),
    );
  });

  it("sha256() hashes long inputs and those at the joining limit alike", () => {
    for (const [first, second] of [[1000, 24], [1000, 25], [1024, 0], [0, 1025], [5000, 5000]]) {
      const parts = [new Uint8Array(first ?? 0).fill(1), new Uint8Array(second ?? 0).fill(2)];
      const whole = createHash("sha256").update(concatBytes(...parts)).digest("hex");
      expect(toHex(sha256(...parts))).toBe(whole);
    }
  });

  it("sha256() returns a plain Uint8Array of its own", () => {
    const digest = sha256(utf8("abc"));
    expect(digest.constructor).toBe(Uint8Array);
    expect(digest.buffer.byteLength).toBe(32);
  });
});

describe("taggedHash()", () => {
  it("taggedHash() is SHA-256 over the tag's length, the tag and the fields", () => {
    const expected = sha256(Uint8Array.of(12), utf8("sion/unit/v1"), utf8("ab"));
    expect(taggedHash("sion/unit/v1", utf8("a"), utf8("b"))).toEqual(expected);
  });

  it("taggedHash() separates domains of which one tag continues into the other's field", () => {
    expect(taggedHash("ab", utf8("c"))).not.toEqual(taggedHash("abc"));
    expect(taggedHash("a", utf8("bc"))).not.toEqual(taggedHash("ab", utf8("c")));
  });

  it("taggedHash() refuses a tag that is empty, too long or not ASCII", () => {
    for (const tag of ["", "a b", "é", "x".repeat(256)]) {
      expect(() => taggedHash(tag)).toThrow(TypeError);
    }
  });
});
