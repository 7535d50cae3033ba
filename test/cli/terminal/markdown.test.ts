/** Markdown as it streams. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMarkdown } from "../../../internal/cli/terminal/markdown.ts";
import type { MarkdownLook } from "../../../internal/cli/terminal/markdown.ts";

const LOOK: MarkdownLook = {
  bold: (text) => `<b>${text}</b>`,
  italic: (text) => `<i>${text}</i>`,
  dim: (text) => `<d>${text}</d>`,
};

function shown(...pieces: string[]): string {
  const stream = createMarkdown(LOOK);
  const lines = [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
  return lines.map(({ text }) => text).join("\n");
}

describe("createMarkdown()", () => {
  test.each([
    ["# Total\n", "<b>Total</b>"],
    ["a **strong** and *soft* word", "a <b>strong</b> and <i>soft</i> word"],
    ["run `sion pay`", "run <b>sion pay</b>"],
    ["2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"],
    ["- one **b**\n1. two", "- one <b>b</b>\n1. two"],
    ["> said", "<d>> said</d>"],
    ["see [the guide](https://a.example/x)", "see the guide (https://a.example/x)"],
    ["```ts\n**no**\n```\n**yes**", "<d>```ts</d>\n<d>**no**</d>\n<d>```</d>\n<b>yes</b>"],
    ["````\n```\n````", "<d>````</d>\n<d>```</d>\n<d>````</d>"],
  ])("shows %j", (text, lines) => {
    expect(shown(text)).toBe(lines);
  });

  test("shows control sequences and direction marks, and obeys none", () => {
    expect(shown("\x1b[2J\u202ex\r← approved")).toBe("\\u001b[2J\\u202ex\\u000d← approved");
    const stream = createMarkdown(LOOK);
    stream.push("\x1b]52;c;x\x07");
    expect(stream.open).toBe("\\u001b]52;c;x\\u0007");
  });

  test("says which lines may be wrapped: code and tables may not", () => {
    const stream = createMarkdown(LOOK);
    const lines = stream.push("words\n```\ncode\n```\n| a | b |\n- item\n");
    expect(lines.map(({ wraps }) => wraps)).toEqual([true, false, false, false, false, true]);
  });

  test("shows the same however the text was cut", () => {
    const part = fc.constantFrom("# a\n", "**b**", "`c`", "\n", "```\n", "- d\n", " ", "[l](u)");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const text = parts.join("");
        expect(shown(...text.split(""))).toBe(shown(text));
      }),
    );
  });
});
