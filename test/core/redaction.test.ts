import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor, utf8, utf8Text } from "#internal/core/mod.ts";

const KEY = 'sk-live/4+eö "x\\y"=%&<1>';

/** How programs write a text. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "base64": (text) => Buffer.from(text).toString("base64"),
  "base64 without padding": (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
  "base64url": (text) => Buffer.from(text).toString("base64url"),
  "base64 with the line's end": (text) => Buffer.from(`${text}\n`).toString("base64"),
  "base64 in lines": (text) => Buffer.from(text).toString("base64").replace(/(.{7})/g, "$1\n"),
  "base64 in an address": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  "base64 in lines in JSON": (text) =>
    JSON.stringify(Buffer.from(text).toString("base64").replace(/(.{7})/g, "$1\r\n")),
  "hexadecimal": (text) => Buffer.from(text).toString("hex"),
  "hexadecimal, upper case": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "hexadecimal with colons": (text) =>
    Buffer.from(text).toString("hex").replace(/(..)(?=.)/g, "$1:"),
  "encodeURIComponent": (text) => encodeURIComponent(text),
  "percent, lower case": (text) =>
    encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (found) => found.toLowerCase()),
  "every byte in percent": (text) => [...utf8(text)].map((b) => `%${hex(b)}`).join(""),
  "a form": (text) => new URLSearchParams({ "": text }).toString().slice(1),
  "JSON": (text) => JSON.stringify(text).slice(1, -1),
  "JSON in ASCII": (text) =>
    JSON.stringify(text).slice(1, -1).replace(
      /[\u0080-\uffff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  "JSON with escaped slashes": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "bytes of Python": (text) => [...utf8(text)].map((byte) => `\\x${hex(byte)}`).join(""),
  "HTML": (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll('"', "&#34;").replaceAll("'", "&#x27;"),
};

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

const redactor = createRedactor([["KEY", KEY]]);

/** What comes out of a stream that is given the bytes in pieces of these lengths. */
function streamed(text: string, lengths: readonly number[], from = redactor): string {
  const bytes = utf8(text);
  const stream = from.stream();
  const out: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    out.push(stream.push(bytes.subarray(at, at + length)));
    at += length;
  }
  out.push(stream.push(bytes.subarray(at)), stream.end());
  return Buffer.concat(out).toString();
}

describe("createRedactor()", () => {
  test.each(Object.entries(WAYS))("cuts a secret out that is written as %s [A-587]", (_, way) => {
    const shown = redactor.text(`before ${way(KEY)} after`);
    expect(shown).toContain("before ");
    expect(shown).toContain("[secret KEY]");
    expect(shown.length).toBeLessThan(36);
  });

  test.each(Object.entries(WAYS))(
    "cuts it out wherever a stream is divided, as %s [A-587]",
    (_, way) => {
      const text = `before ${way(KEY)} after`;
      const whole = redactor.text(text);
      const { length } = utf8(text);
      for (let at = 0; at <= length; at++) expect(streamed(text, [at])).toBe(whole);
      expect(streamed(text, Array.from({ length }, () => 1))).toBe(whole);
    },
  );

  test("finds it within a longer base64, at any place, as of a password after a user", () => {
    for (const user of ["a", "ab", "abc", "abcd:"]) {
      const header = Buffer.from(`${user}${KEY}tail`).toString("base64");
      const shown = redactor.text(`Authorization: Basic ${header}`);
      expect(shown).toContain("[secret KEY]");
      const left = shown.split("[secret KEY]").map((part) => part.replace(/.* /, ""));
      const rest = left.map((part) => Buffer.from(part, "base64").toString("latin1")).join("|");
      expect(rest).not.toMatch(/sk|live|<1>/);
    }
  });

  test("leaves a text without secrets as it is, what is nearly one too", () => {
    const near = `${KEY.slice(0, -1)} ${KEY.slice(1)} 100% \\u00 &am ${KEY.toUpperCase()} \ud800`;
    expect(redactor.text(near)).toBe(near);
    const bytes = utf8(`${KEY.slice(0, 9)}`);
    const stream = redactor.stream();
    expect(stream.push(bytes)).toHaveLength(0);
    expect(stream.end()).toEqual(bytes);
    expect(createRedactor([]).text(KEY)).toBe(KEY);
    expect(createRedactor([["PORT", "993"]]).text("port 993")).toBe("port 993");
  });

  test("reads escapes that stand for nothing as they are", () => {
    const odd = "%zz %4 &#x110000; &#; &unknown; \\u12 \\xg &amp \\ud83d\\u0041 + \\";
    expect(redactor.text(odd)).toBe(odd);
    expect(createRedactor([["K", "A&B+😀\t1"]]).text("A&#38;B%2b\\ud83D\\uDE00\\t1"))
      .toBe("[secret K]");
  });

  test("hands a stream on at once, as far as it holds no beginning of a secret", () => {
    const stream = redactor.stream();
    expect(utf8Text(stream.push(utf8("progress 50 \n")))).toBe("progress 50 \n");
    expect(utf8Text(stream.push(utf8("key: sk-")))).toBe("key: ");
    expect(utf8Text(stream.push(utf8("other\n")))).toBe("sk-other\n");
  });

  test("takes the longer of two, and all of what overlaps", () => {
    const two = createRedactor([["SHORT", "abcdef"], ["LONG", "abcdefghi"], ["NEXT", "ghijkl"]]);
    expect(two.text("-abcdefghi-")).toBe("-[secret LONG]-");
    expect(two.text("-abcdef-")).toBe("-[secret SHORT]-");
    expect(two.text("-abcdef")).toBe("-[secret SHORT]");
    expect(two.text("-abcdefgh")).toBe("-[secret SHORT]gh");
    expect(two.text("-abcdefghijkl-")).toBe("-[secret LONG]-");
    expect(streamed("-abcdefghijkl-", [8], two)).toBe("-[secret LONG]-");
  });

  test("knows the lines of a key of several, shown with numbers", () => {
    const lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"];
    const pem = `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
    const shown = createRedactor([["PEM", pem]])
      .text(pem.split("\n").map((line, i) => `${i + 1}\t${line}`).join("\n"));
    for (const line of lines) expect(shown).not.toContain(line);
    expect(shown).toContain("-----BEGIN PRIVATE KEY-----");
  });

  test("lets nothing of any secret through, however written and divided", () => {
    const secret = fc.string({ minLength: 6, maxLength: 40, unit: "grapheme" })
      .filter((text) => text.isWellFormed() && !/[\r\n]/.test(text));
    const way = fc.constantFrom(...Object.keys(WAYS));
    const around = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(secret, way, around, fc.array(fc.nat(9)), (value, name, before, lengths) => {
        const written = (WAYS[name] as (text: string) => string)(value);
        const known = createRedactor([["KEY", value]]);
        const text = `${before} ${written} end`;
        const shown = known.text(text);
        expect(shown).not.toContain(written);
        expect(streamed(text, lengths, known)).toBe(shown);
      }),
      { numRuns: 500 },
    );
  });
});
