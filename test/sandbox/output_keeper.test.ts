import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OutputKeeper, outputText } from "../../internal/sandbox/output_keeper.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("OutputKeeper", () => {
  test("keeps the first and the last bytes, however the stream was cut in pieces [A-108]", () => {
    fc.assert(fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 32 }),
      (pieces, half) => {
        const keeper = new OutputKeeper(2 * half);
        for (const piece of pieces) keeper.push(piece);
        const all = pieces.flatMap((piece) => [...piece]);
        const { head, tail, totalBytes } = keeper.kept();
        expect(totalBytes).toBe(all.length);
        expect([...head]).toEqual(all.slice(0, half));
        expect([...tail]).toEqual(all.slice(half).slice(-half));
      },
    ));
  });
});

describe("outputText()", () => {
  const kept = (text: string, most = 64) => {
    const keeper = new OutputKeeper(most);
    keeper.push(bytes(text));
    return keeper.kept();
  };

  test("is the output itself while that fits", () => {
    expect(outputText(kept("one\ntwo\n"), 64)).toBe("one\ntwo\n");
    expect(outputText(kept(""), 64)).toBe("");
  });

  test("says how much is left out, and where it is [A-113]", () => {
    const text = "a".repeat(50) + "\n" + "z".repeat(49);
    expect(outputText(kept(text), 20, "read more in /output/1.txt")).toBe(
      `${"a".repeat(10)}\n… (80 bytes left out: read more in /output/1.txt) …\n${"z".repeat(10)}`,
    );
  });

  test("cuts no character in the middle, and counts what it left out for that", () => {
    fc.assert(fc.property(
      fc.string({ unit: "grapheme", minLength: 40, maxLength: 400 }),
      fc.integer({ min: 8, max: 32 }),
      (text, most) => {
        const total = bytes(text).length;
        // U+FFFD itself may come: then it says nothing of a cut.
        fc.pre(total > most && !text.includes("\ufffd"));
        const shown = outputText(kept(text, 4 * most), most);
        const [, first = "", left = "", last = ""] =
          /^([^]*)… \((\d+) bytes left out\) …\n([^]*)$/.exec(shown) ?? [];
        expect(shown).not.toContain("\ufffd");
        const head = text.startsWith(first) ? first : first.slice(0, -1);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(last)).toBe(true);
        expect(bytes(head).length + Number(left) + bytes(last).length).toBe(total);
      },
    ));
  });

  test("takes for text what is one, wherever it was cut", () => {
    const text = "  ࠀ𐀀ࠀࠀ𐀀ࠀࠀࠀ                       𐀀ࠀ𐀀῝𐀀ࠀࠀ𐀀ࠀ";
    expect(outputText(kept(text, 64), 16)).toContain("… (70 bytes left out) …");
  });

  test("shows bytes that are no text as such", () => {
    const keeper = new OutputKeeper(64);
    keeper.push(Uint8Array.of(0x61, 0xff, 0xfe, 0x62));
    expect(outputText(keeper.kept(), 64)).toBe("a\ufffd\ufffdb");
  });
});

describe("outputText() of what a model cannot read", () => {
  const kept = (bytes: Uint8Array, keeper = new OutputKeeper(100_000)) => {
    keeper.push(bytes);
    return keeper.kept();
  };

  test("leaves out what only tells a terminal how to look", () => {
    const shown = outputText(
      kept(bytes("\x1b[1;31mred\x1b[0m \x1b]8;;http://a\x07b\x1b]8;;\x07\n")),
      1_000,
    );
    expect(shown).toBe("red b\n");
  });

  test("tells of bytes that are no text how many they are, and where all of them are", () => {
    const mixed = Uint8Array.from({ length: 5_000 }, (_, at) => (at * 7_919) % 251);
    expect(outputText(kept(mixed), 1_000)).toBe(
      "(5000 bytes that are no text: write it into a file to look at it)\n",
    );
    expect(outputText(kept(mixed), 1_000, "read more in /output/3.txt")).toBe(
      "(5000 bytes that are no text: read more in /output/3.txt)\n",
    );
    expect(outputText(kept(new Uint8Array(500)), 1_000)).toContain("500 bytes that are no text");
  });

  test("shows names that end in NUL, text of any language, and what is short, as it is", () => {
    const names = Array.from({ length: 40 }, (_, at) => `file-${at}\0`).join("");
    expect(outputText(kept(bytes(names)), 1_000)).toBe(names);
    const words = "日本語の文章、ελληνικά, русский 😀\r\n\tok\n".repeat(9);
    expect(outputText(kept(bytes(words)), 10_000)).toBe(words);
    expect(outputText(kept(Uint8Array.of(0xff, 0xfe, 0)), 1_000)).toBe("\ufffd\ufffd\0");
    // A text in an older encoding is still most of a text.
    const old = Uint8Array.from(
      Buffer.from("na\xefve caf\xe9 words words words\n".repeat(9), "latin1"),
    );
    expect(outputText(kept(old), 10_000)).toContain("caf\ufffd words");
  });
});
