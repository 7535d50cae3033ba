/** Keys as terminals send them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyReader } from "../../../internal/cli/terminal/keys.ts";
import type { Key } from "../../../internal/cli/terminal/keys.ts";

function read(...pieces: string[]): Key[] {
  const reader = createKeyReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.flush()];
}

/** Keys as short words: text in quotes, pastes between brackets. */
function words(keys: readonly Key[]): string {
  return keys.map((key) => {
    if (key.kind === "text") return `"${key.text}"`;
    if (key.kind === "paste") return `[${key.text}]`;
    return key.alt ? `alt-${key.name}` : key.name;
  }).join(" ");
}

describe("createKeyReader()", () => {
  test.each([
    ["text and Enter", "häß 🙂\r", '"häß 🙂" enter'],
    ["a line feed, as Ctrl-J and some terminals' Shift-Enter send", "a\nb", '"a" newline "b"'],
    [
      "Alt-Enter and Shift-Enter of terminals that tell them",
      "\x1b\r\x1b[13;2u",
      "newline newline",
    ],
    ["arrows in both modes", "\x1b[A\x1bOB\x1b[C\x1bOD", "up down right left"],
    ["words", "\x1b[1;5C\x1bb\x1bf\x1b\x7f", "word-right word-left word-right alt-backspace"],
    ["places", "\x1b[H\x1b[4~\x1b[3~\x1b[5~", "home end delete page-up"],
    ["Control", "\x03\x04\x0c", "ctrl-c ctrl-d ctrl-l"],
    ["an Escape alone", "\x1b", "escape"],
    ["two Escapes", "\x1b\x1b", "escape escape"],
    ["an unknown sequence, which is passed over", "\x1b[99;99Xa", '"a"'],
    ["a sequence without an end", `\x1b[${"1;".repeat(40)}`, `"${"1;".repeat(40)}"`],
    ["an answer of the terminal's, which is no key", "\x1b[?62;4ca", '"a"'],
  ])("reads %s", (_what, sent, keys) => {
    expect(words(read(sent))).toBe(keys);
  });

  test("takes a paste whole, never for keys, whatever stands in it", () => {
    const pasted = "rm -rf /\r\x03\x1b[A\ty";
    expect(words(read(`a\x1b[200~${pasted}\x1b[201~b`))).toBe('"a" [rm -rf /\n\x03\x1b[A\ty] "b"');
  });

  test("bounds a paste", () => {
    const [key] = read(`\x1b[200~${"x".repeat(1_100_000)}\x1b[201~`);
    expect(key).toMatchObject({ kind: "paste" });
    expect((key as { text: string }).text).toHaveLength(1_000_000);
  });

  test("reads the same keys however the input is cut", () => {
    const piece = fc.constantFrom(
      "a",
      "ü",
      "\r",
      "\x1b[A",
      "\x1b[1;5D",
      "\x1b[200~p\rq\x1b[201~",
      "\t",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.infiniteStream(fc.nat(4)),
        (parts, cuts) => {
          const sent = parts.join("");
          const pieces: string[] = [];
          for (let at = 0; at < sent.length;) {
            const length = 1 + (cuts.next().value as number);
            pieces.push(sent.slice(at, at + length));
            at += length;
          }
          const joined = (keys: Key[]): string => words(keys).replaceAll('" "', "");
          expect(joined(read(...pieces))).toBe(joined(read(sent)));
        },
      ),
    );
  });
});
