import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, utf8, utf8Text } from "#internal/core/mod.ts";
import { createEventFilter } from "../../internal/runtime/event_filter.ts";

/** What a filter leaves of pieces. */
function filtered(pieces: readonly Uint8Array[], most = 1_000): string {
  const filter = createEventFilter(most);
  return utf8Text(concatBytes(...pieces.map((piece) => filter.push(piece) ?? utf8("<too large>"))));
}

/** The same, line by line, of a whole text. */
function without(text: string): string {
  return text.split(/(?<=\r\n|\n|\r(?!\n))/u).filter((line) => !line.startsWith(":")).join("");
}

describe("createEventFilter()", () => {
  test.each([
    ["data: a\n\n: ping\ndata: b\n\n", "data: a\n\ndata: b\n\n"],
    [": ping\r\n\r\ndata: :a\r\n\r\n", "\r\ndata: :a\r\n\r\n"],
    [":a\r:b\rdata: x\r\r", "data: x\r\r"],
    ["event: a\n:no\ndata: b\n\n", "event: a\ndata: b\n\n"],
    [":", ""],
    ["", ""],
  ])("leaves comments out of %j and nothing else", (text, left) => {
    expect(filtered([utf8(text)])).toBe(left);
    expect(without(text)).toBe(left);
  });

  test("leaves the same however the stream is cut into pieces", () => {
    const text = fc.array(fc.constantFrom(":", "a", "\n", "\r", "\r\n", "data: é", ": ping"), {
      maxLength: 40,
    }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        text,
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }),
        (whole, cuts) => {
          const bytes = utf8(whole);
          const pieces: Uint8Array[] = [];
          let at = 0;
          for (const cut of cuts) {
            pieces.push(bytes.subarray(at, at + cut));
            at += cut;
          }
          pieces.push(bytes.subarray(at));
          expect(filtered(pieces)).toBe(without(whole));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("takes events up to the bound, any number of them, and none larger", () => {
    const event = `data: ${"x".repeat(92)}\n\n`;
    const most = event.length;
    expect(filtered([utf8(event.repeat(5))], most)).toBe(event.repeat(5));
    expect(filtered([utf8(`: ${"c".repeat(500)}\n${event}`)], most)).toBe(event);
    expect(filtered([utf8(`x${event}`)], most)).toBe("<too large>");
    expect(filtered([utf8("data: a\n".repeat(99))], 80)).toBe("<too large>");
  });
});
