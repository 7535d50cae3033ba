/** Widths and wrapping. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cellsOf,
  fitted,
  withoutTabs,
  wrap,
  wrapParts,
  wrapWords,
} from "../../../internal/cli/terminal/cells.ts";

test("withoutTabs() goes on at each eighth cell, colours and wide characters counted as shown", () => {
  expect(withoutTabs("1\tone\t\ttwo")).toBe("1       one             two");
  expect(withoutTabs("\x1b[2m日本\tx")).toBe("\x1b[2m日本    x");
  expect(withoutTabs("12345678\tx")).toBe("12345678        x");
});

describe("cellsOf()", () => {
  test.each([
    ["abc", 3],
    ["日本", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["❤️", 2],
    ["\x1b[1mbold\x1b[22m", 4],
    ["", 0],
  ])("of %j are %d", (text, cells) => {
    expect(cellsOf(text)).toBe(cells);
  });
});

describe("fitted()", () => {
  test("cuts between what people take for characters, and says that it cut", () => {
    expect(fitted("abcdef", 6)).toBe("abcdef");
    expect(fitted("abcdef", 4)).toBe("abc…");
    expect(fitted("日本語", 4)).toBe("日…");
  });
});

describe("wrap()", () => {
  test("says where a place of the text is", () => {
    expect(wrap("abcdef", 5, 5, 0)).toEqual({ rows: ["abcd", "ef"], row: 1, column: 1 });
    expect(wrap("ab\ncd", 80, 3, 5)).toEqual({ rows: ["ab", "cd"], row: 1, column: 5 });
  });

  test("loses nothing, fits the width, and knows the place of every character", () => {
    const text = fc.array(fc.constantFrom("a", "日", " ", "\n", "👩‍👩‍👧"), { maxLength: 60 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 6, max: 30 }), fc.integer({ min: 0, max: 2 }), (
        given,
        width,
        indent,
      ) => {
        const { rows, row, column } = wrap(given, width, given.length, indent);
        expect(rows.join("").replaceAll("\n", "")).toBe(given.replaceAll("\n", ""));
        for (const one of rows) expect(cellsOf(one) + indent).toBeLessThan(width);
        expect(row).toBe(rows.length - 1);
        expect(column).toBe(indent + cellsOf(rows.at(-1) ?? ""));
      }),
    );
  });

  test("shows control characters that were pasted, and obeys none", () => {
    expect(wrap("a\x1b[2Jb\tc", 40, 7)).toEqual({
      rows: ["a\\u001b[2Jb    c"],
      row: 0,
      column: 15,
    });
  });
});

describe("wrapWords()", () => {
  test.each([
    ["ends rows between words", "the quick brown fox", 10, ["the quick", "brown fox"]],
    ["leaves what fits", "a  b", 10, ["a  b"]],
    ["goes on below an item's text", "- one two three", 9, ["- one two", "  three"]],
    ["keeps an indent", "   one two", 7, ["   one", "   two"]],
    [
      "leaves a long word whole, so that it can be copied",
      "see https://a.example/very/long now",
      12,
      ["see", "https://a.example/very/long now"],
    ],
    ["counts no colours", "\x1b[2mone two\x1b[22m", 7, ["\x1b[2mone two\x1b[22m"]],
  ])("%s", (_what, line, width, rows) => {
    expect(wrapWords(line, width)).toEqual(rows);
  });

  test("goes on below the second column, or indented where that is too far right", () => {
    expect(wrapWords("/new  starts over here", 14, true)).toEqual([
      "/new  starts",
      "      over",
      "      here",
    ]);
    expect(wrapWords("/approve always  more words", 16, true)).toEqual([
      "/approve always",
      "    more words",
    ]);
  });

  test("loses no word", () => {
    const word = fc.constantFrom("a", "日本", "word", "https://x.example/a/b/c");
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }),
        fc.integer({ min: 8, max: 30 }),
        (words, width) => {
          const rows = wrapWords(words.join(" "), width);
          expect(rows.join(" ").split(/\s+/).filter((one) => one !== "")).toEqual(words);
        },
      ),
    );
  });
});

describe("wrapParts()", () => {
  test("begins a row where a part does not fit, and cuts one that fits into none", () => {
    expect(wrapParts(["one", "two", "three"], 10, " · ")).toEqual(["one · two", "three"]);
    expect(wrapParts(["abcdefghijkl", "m"], 10, " · ")).toEqual(["abcdefghij", "kl · m"]);
  });
});
