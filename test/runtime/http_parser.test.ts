import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, utf8, utf8Text } from "#internal/core/mod.ts";
import { createHttpParser } from "../../internal/runtime/http_parser.ts";
import type { HttpHead } from "../../internal/runtime/http_parser.ts";

interface Read {
  readonly head: HttpHead | undefined;
  readonly body: string;
  readonly whole: boolean;
  readonly keepAlive: boolean;
}

/** Feeds the text cut at the places given. */
function read(text: string, cuts: readonly number[] = [], ends = false): Read {
  let head: HttpHead | undefined;
  const parts: Uint8Array[] = [];
  const parser = createHttpParser({
    onHead: (found) => void (head = found),
    onBody: (part) => void parts.push(part),
  });
  const bytes = utf8(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  places.sort((a, b) => a - b);
  let whole = false;
  for (let i = 1; i < places.length; i++) {
    const chunk = bytes.subarray(places[i - 1], places[i]);
    if (chunk.length > 0) whole = parser.take(chunk);
  }
  if (ends) whole = parser.end();
  return { head, body: utf8Text(concatBytes(...parts)), whole, keepAlive: parser.keepAlive };
}

const LENGTH = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello";
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
  "3\r\nhel\r\n2;ext=1\r\nlo\r\n0\r\nTrailer: x\r\n\r\n";

describe("createHttpParser()", () => {
  test.each([LENGTH, CHUNKED])("createHttpParser() reads an answer cut anywhere: %#", (text) => {
    fc.assert(fc.property(fc.array(fc.nat(), { maxLength: 8 }), (cuts) => {
      expect(read(text, cuts)).toMatchObject({
        head: { status: 200 },
        body: "hello",
        whole: true,
        keepAlive: true,
      });
    }));
  });

  test("createHttpParser() reads to the end of the connection without a length", () => {
    const text = "HTTP/1.1 200 OK\r\n\r\nto the end";
    expect(read(text).whole).toBe(false);
    expect(read(text, [], true)).toMatchObject({
      body: "to the end",
      whole: true,
      keepAlive: false,
    });
  });

  test("createHttpParser() finds an answer that ends too early not whole", () => {
    expect(read(LENGTH.slice(0, -1), [], true).whole).toBe(false);
    expect(read(CHUNKED.slice(0, -2), [], true).whole).toBe(false);
  });

  test("createHttpParser() passes over 1xx and takes 204 without a body", () => {
    const found = read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
    expect(found).toMatchObject({ head: { status: 204 }, whole: true });
  });

  test.each([
    "SMTP ready\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
    `HTTP/1.1 200 OK\r\nA: ${"x".repeat(70_000)}`,
  ])("createHttpParser() refuses what is no HTTP: %#", (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });

  test("createHttpParser() bounds trailers and interim answers, however they come", () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    for (
      const text of [
        `${head}A: ${"x".repeat(2_000)}\r\n\r\n`,
        `${head}${"A: b\r\n".repeat(20_000)}\r\n`,
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(9),
      ]
    ) {
      for (const size of [1, text.length]) {
        const parser = createHttpParser({ onHead: () => {}, onBody: () => {} });
        expect(() => {
          for (let at = 0; at < text.length; at += size) {
            parser.take(utf8(text.slice(at, at + size)));
          }
        }).toThrow(SyntaxError);
      }
    }
  });
});
