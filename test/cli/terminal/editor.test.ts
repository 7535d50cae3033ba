/** The input of a conversation: editing, lines, history. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Editor } from "../../../internal/cli/terminal/editor.ts";
import { createKeyReader } from "../../../internal/cli/terminal/keys.ts";
import type { Key } from "../../../internal/cli/terminal/keys.ts";

/** Presses what a terminal sends. Says what was entered. */
function type(editor: Editor, sent: string): string[] {
  const reader = createKeyReader();
  return [...reader.push(sent), ...reader.flush()].flatMap((key) => {
    const outcome = editor.press(key);
    return outcome.kind === "entered" ? [outcome.text] : [];
  });
}

/** The text with a bar where the cursor is. */
function shown(editor: Editor): string {
  const { text, cursor } = editor;
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const COMMANDS = ["/stop", "/status", "/system", "/usage"];
const UP = "\x1b[A";
const DOWN = "\x1b[B";
const LEFT = "\x1b[D";

describe("Editor", () => {
  test.each([
    ["/u\t", "/usage |"],
    ["/s\t", "/s|"],
    ["/st\ta\t", "/status |"],
    ["/sy\tbe brief\t", "/system be brief|"],
    ["say /st\t", "say /st|"],
    ["\t", "|"],
    ["/x\t", "/x|"],
    [`/st${LEFT}\t`, "/s|t"],
  ])("completes commands at Tab: %j", (sent, text) => {
    const editor = new Editor([], COMMANDS);
    type(editor, sent);
    expect(shown(editor)).toBe(text);
  });

  test.each([
    ["what is typed", "pay bob", "pay bob|"],
    ["in the middle", `pay bob${LEFT}${LEFT}${LEFT}to `, "pay to |bob"],
    ["a picture of several code points as one", "a👩‍👩‍👧\x7f", "a|"],
    ["an accent that was typed apart as one", "e\u0301\x7fx", "x|"],
    ["words away", "one two  \x17", "one |"],
    ["words away and back", "one two\x17\x19\x19", "one twotwo|"],
    ["a line's start and end", "a\nbc\x01x\x05y", "a\nxbcy|"],
    ["to a line's end away", `a\nbc\x01\x0bz`, "a\nz|"],
    ["a line's beginning away", "a\nbc\x15z", "a\nz|"],
    [
      "between lines, keeping the column",
      `abc\nde\nfgh${UP}${UP}x`,
      "abcx\nde\nfgh".replace("abcx", "abx|c"),
    ],
    ["down again", `abc\nde${UP}${DOWN}x`, "abc\ndex|"],
    ["what was deleted forward", `ab${LEFT}\x1b[3~`, "a|"],
    ["a backslash at the end as another line", "one\\\rtwo", "one\ntwo|"],
  ])("edits %s", (_what, sent, text) => {
    const editor = new Editor();
    expect(type(editor, sent)).toEqual([]);
    expect(shown(editor)).toBe(text);
  });

  test("gives what was entered and begins anew", () => {
    const editor = new Editor();
    expect(type(editor, "one\rtwo\nthree\r")).toEqual(["one", "two\nthree"]);
    expect(shown(editor)).toBe("|");
  });

  test("goes back in what was said and forward to what was being written", () => {
    const editor = new Editor(["first", "second"]);
    type(editor, `dra${UP}`);
    expect(shown(editor)).toBe("second|");
    type(editor, `${UP}${UP}${UP}`);
    expect(shown(editor)).toBe("first|");
    type(editor, `${DOWN}${DOWN}${DOWN}ft`);
    expect(shown(editor)).toBe("draft|");
  });

  test("keeps what was entered once when it was entered twice in a row", () => {
    const editor = new Editor();
    type(editor, `a\ra\r${UP}${UP}`);
    expect(shown(editor)).toBe("a|");
  });

  test("never loses a grapheme in two and never leaves its text, whatever is pressed", () => {
    const names = [
      "left",
      "right",
      "up",
      "down",
      "home",
      "end",
      "backspace",
      "delete",
      "word-left",
      "word-right",
      "ctrl-k",
      "ctrl-u",
      "ctrl-w",
      "ctrl-y",
      "newline",
    ] as const;
    const key: fc.Arbitrary<Key> = fc.oneof(
      fc.constantFrom(...names).map((name) => ({ kind: "key", name, alt: false }) as const),
      fc.constantFrom("a", " ", "ü", "👩‍👩‍👧", "日").map((text) => ({ kind: "text", text }) as const),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
        const editor = new Editor(["past one", "past\ntwo"]);
        for (const one of keys) {
          editor.press(one);
          expect(editor.cursor).toBeGreaterThanOrEqual(0);
          expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
          expect(editor.text.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
