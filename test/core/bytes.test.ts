import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "#internal/core/mod.ts";

describe("utf8Text()", () => {
  it("utf8Text() reads what follows broken text as if nothing had been", () => {
    for (const broken of [[0xe2, 0x82], [0xff], [0xed, 0xa0, 0x80]]) {
      expect(() => utf8Text(Uint8Array.from(broken))).toThrow(SyntaxError);
      expect(utf8Text(utf8("a€"))).toBe("a€");
    }
    expect(utf8Text(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
  });
});
