import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quoteOddWord, shellWord } from "#internal/core/mod.ts";

describe("shellWord()", () => {
  test("shellWord() makes of any text one word of a shell", () => {
    // A shell's arguments hold no zero byte, and a home is put for a leading ~/.
    const text = fc.string({ unit: "grapheme", maxLength: 12 })
      .filter((word) => !word.includes("\0") && !word.startsWith("~"));
    const words = fc.sample(text, 100);
    const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${words.map(shellWord).join(" ")}`], {
      encoding: "utf8",
    });
    expect(stdout.split("\0").slice(0, -1)).toEqual(words);
  });

  test("shellWord() leaves plain paths as they are, and a home its ~", () => {
    expect(shellWord("~/.sion/wallets/alice")).toBe("~/.sion/wallets/alice");
    expect(shellWord("~/my wallets/it's")).toBe(`~/'my wallets/it'\\''s'`);
  });
});

describe("quoteOddWord()", () => {
  test.each([
    ["alice", "alice"],
    ["1,5", "1,5"],
    ["Zoë", "Zoë"],
    ["", '""'],
    ["a b", '"a b"'],
    ["a\nb", '"a\\nb"'],
    ["`x`", '"`x`"'],
  ])("quoteOddWord() of %j is %s", (word, shown) => {
    expect(quoteOddWord(word)).toBe(shown);
  });
});
