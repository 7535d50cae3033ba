/** Widths and wrapping. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cellsOf, fitted, wrap } from "../../../internal/cli/terminal/cells.ts";

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
});
