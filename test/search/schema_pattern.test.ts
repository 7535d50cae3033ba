/** Patterns of JSON Schemas: what ECMA-262 means by them, in linear time. */
import { describe, expect, test } from "vitest";
import { schemaPatterns } from "#internal/search/mod.ts";

/** Texts on which the two engines could differ. */
const TEXTS = [
  ...["", "a", "A", "ab", "aa", "a\n", "\n", "\r", "\t", "\v", " ", "\u00a0", "\u2028", "\ufeff"],
  ...["😀", "é", "α", "a b", "a\u00a0b", "2026-12", "a@b.cc", "/x", "a-b", "]", "\\", "-", "x]y"],
];

describe("schemaPatterns()", () => {
  test.each([
    ...[
      "a",
      "^a$",
      "^.$",
      ".",
      "^[^]$",
      "\\s",
      "\\S",
      "^[\\s]$",
      "^[^\\s]$",
      "^[\\S]$",
      "[\\s\\S]",
    ],
    ...["^\\S+\\s\\S+$", "^\\d{4}-\\d{2}$", "\\w+@\\w+\\.\\w{2,}", "\\p{L}", "\\p{Lu}", "\\u00e9"],
    ...["\\ud83d\\ude00", "\\u{1f600}", "[\\ud83d\\ude00]", "\\/x", "^[\\w\\-]+$", "(?<y>a)b"],
    ...["\\cJ", "\\x41", "\\]", "[\\]]", "[.]", "\\\\", "[\\\\.]", "\\.", "^(?:a|b)*$", "\\bb\\b"],
  ])("finds %s where ECMA-262 does", async (source) => {
    const pattern = (await schemaPatterns())(source);
    for (const text of TEXTS) {
      expect(pattern.test(text), JSON.stringify(text)).toBe(new RegExp(source, "u").test(text));
    }
    expect(String(pattern)).toBe(source);
  });

  test.each(["(", "a{2,1}", "[b-a]", "\\-", "(?i)a", "(?=a)a", "a(?!b)", "(?<=a)b", "(a)\\1"])(
    "refuses %s, which is no pattern or would have to go back",
    async (source) => {
      const read = await schemaPatterns();
      expect(() => read(source)).toThrow(SyntaxError);
    },
  );

  test("takes no more than linear time where going back takes for ever", async () => {
    const read = await schemaPatterns();
    for (const source of ["^(a+)+$", "^(a|a)*$", "^(.*a){30}$", "(x+x+)+y"]) {
      expect(read(source).test(`${"a".repeat(10_000)}!`), source).toBe(false);
    }
  });
});
