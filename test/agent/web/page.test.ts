/** Pages as text: what is read of them, what is left out, and that nothing takes long. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readBytes, wordsOf } from "../../../internal/agent/web/page.ts";
import type { Readable, ReadableText } from "../../../internal/agent/web/page.ts";

const FOLDER = new URL("../../../fixtures/pages/", import.meta.url);

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(name, FOLDER));
}

function read(
  bytes: Uint8Array | string,
  { type = "text/html", url = "https://site.example/dir/page", whole = false } = {},
): Readable {
  const given = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  return readBytes({ bytes: given, type, url: new URL(url), whole });
}

function text(...given: Parameters<typeof read>): ReadableText {
  const readable = read(...given);
  if (readable.kind !== "text") throw new Error(`it is ${readable.kind}`);
  return readable;
}

describe("readBytes() of HTML", () => {
  test.each([
    ["article", "a newspaper's article, with what hides in it"],
    ["reference", "a page of reference, with code, tables and terms"],
    ["front", "a front page that is laid out by tables"],
    ["list", "a list of posts"],
    ["menu", "a page that is a menu alone"],
    ["old", "a page of old, without ends, in Latin-1"],
    ["app", "a page that scripts make"],
  ])("readBytes() makes %s.txt of %s.html: %s [A-301]", (name) => {
    const { title, text: shown, notes } = text(fixture(`${name}.html`));
    const kept = readFileSync(new URL(`${name}.txt`, FOLDER), "utf8");
    expect(`${title}\n---\n${shown}\n---\n${notes.join("; ")}\n`).toBe(kept);
  });

  test("readBytes() gives all of a page where that is asked for", () => {
    const { text: shown, notes } = text(fixture("article.html"), { whole: true });
    for (const around of ["[Sport](https://shore.example/sport/)", "## Most read", "© The Shore"]) {
      expect(shown).toContain(around);
    }
    for (const hidden of ["mallory", "do it now", "cookies", "dataLayer", "tracker"]) {
      expect(shown).not.toContain(hidden);
    }
    expect(notes).toEqual(["6 invisible characters were left out"]);
  });

  test("readBytes() offers the links that stand in the text, and pictures", () => {
    const { links } = text(fixture("article.html"));
    expect([...links]).toEqual([
      "https://shore.example/people/ines",
      "https://shore.example/news/bridge.jpg?w=800&h=600",
      "https://city.example/bridge_(harbour)?a=1&b=2",
      "https://city.example/",
    ]);
  });

  test("readBytes() takes the rest of a page when what is marked as main says little", () => {
    const page = `<main>Loading…</main><div>${
      "<p>What the page says, at length.</p>".repeat(20)
    }</div>`;
    expect(text(page).text).toContain("at length");
  });

  test("readBytes() finds a page's encoding: its mark, its sender, its own word, or none", () => {
    const shown = (bytes: readonly number[], type: string): string =>
      text(Uint8Array.from(bytes), { type }).text;
    const ascii = (words: string): number[] => Array.from(words, (one) => one.charCodeAt(0));
    expect(shown([...ascii("<p>caf"), 0xe9], "text/html; charset=ISO-8859-1")).toBe("café");
    expect(shown([...ascii("<p>caf"), 0xc3, 0xa9], 'text/html;charset="UTF-8"')).toBe("café");
    expect(shown([...ascii("<meta charset=koi8-r><p>"), 0xc4, 0xc1], "text/html")).toBe("да");
    expect(shown([...ascii("<meta charset=utf-16><p>"), 0xc3, 0xa9], "text/html")).toBe("é");
    expect(shown([0xef, 0xbb, 0xbf, ...ascii("<p>"), 0xc3, 0xa9], "text/html;charset=latin1"))
      .toBe("é");
    expect(shown([...ascii("<p>"), 0x93, 0x61, 0x94], "text/html")).toBe("“a”");
    expect(shown([...ascii("<p>"), 0xc3, 0xa9], "text/html; charset=nonsense")).toBe("é");
    expect(shown([...ascii("<p>"), 0x82, 0xa0], "text/html; charset=shift_jis")).toBe("あ");
    expect(shown([0xff, 0xfe, 0x61, 0, 0xe9, 0], "text/plain")).toBe("aé");
    expect(shown([0x61, 0, 0xe9, 0], "text/plain; charset=utf-16le")).toBe("aé");
  });

  /** A million bytes of what nests, repeats or looks like more. */
  test.each(Object.entries({
    nested: ["", "<div>"],
    "closed without end": ["<div>".repeat(500), "</x>"],
    "nested marks": ["<a href=x><b>".repeat(200), "word "],
    "nested deletions": ["<del><div>".repeat(200), "word "],
    "nested lists": ["<ul><li>".repeat(200), "w<br>"],
    "nested quotes": ["<blockquote>".repeat(400), "w<br>"],
    "nested tables": ["<table><tr><td>".repeat(150), "<tr><td>x"],
    "nested headers": ["<header>".repeat(400), "<i>x</i>"],
    rows: ["<table>", "<tr><td>x<td>y"],
    items: ["<ul>", "<li>x"],
    columns: ["<table>", "<tr><td colspan=60>x"],
    attributes: ["<p ", "a=b "],
    styles: ['<p style="', "opacity:0 "],
    brackets: ["", "<"],
    ticks: ["<pre>", "`a"],
    links: ["", "<a href=/x>y</a>"],
    zeros: ["", "\u200b\u200d"],
  }))("readBytes() bounds its work on a page of %s", (_name, [before = "", unit = ""]) => {
    const page = before + unit.repeat(Math.floor(1_000_000 / unit.length));
    const { text: shown } = text(page);
    expect(shown.length).toBeLessThanOrEqual(2_000_000);
  }, 60_000);

  test("readBytes() takes any bytes as any type", () => {
    const types = fc.constantFrom(
      "",
      "text/html",
      "text/markdown",
      "application/json;charset=x",
      "\0",
    );
    const pieces = fc.constantFrom(
      ...[
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<a href='//[x'>",
        "<li>",
        "<ol start=-5>",
        "<pre>",
      ],
      ...[
        "<svg>",
        "</p>",
        "<select>",
        "<dialog open>",
        "<base href=':'>",
        "<math>",
        "&#0;",
        "&#xd800;",
      ],
      ...["<!--", "-->", "<plaintext>", "\u{e0041}", "\ud800", "x", " ", "\r", "<dl><dd>", "<nav>"],
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.array(pieces, { maxLength: 40 })),
        types,
        fc.boolean(),
        (given, type, whole) => {
          const bytes = given instanceof Uint8Array ? given : given.join("");
          const readable = read(bytes, { type, whole });
          if (readable.kind !== "text") return;
          expect(readable.text.isWellFormed()).toBe(true);
          // deno-lint-ignore no-control-regex
          expect(readable.text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b\u{e0041}]/u);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("readBytes() of what is no HTML", () => {
  test("readBytes() gives text, JSON and Markdown as they are, and Markdown's links", () => {
    const json = '{\n  "a": [1, "<p>"]\n}';
    expect(text(json, { type: "application/json" }).text).toBe(json);
    expect(text("<p>not a page", { type: "text/plain" }).text).toBe("<p>not a page");
    expect(text("<!DOCTYPE html>\n<p>a page", { type: "" }).text).toBe("a page");
    const markdown = "See [it](https://a.example/x), <https://b.example/>, https://c.example/.";
    const read = text(markdown, { type: "text/markdown; charset=utf-8" });
    expect([read.text, ...read.links]).toEqual([
      markdown,
      "https://a.example/x",
      "https://b.example/",
    ]);
    expect([...text(markdown, { type: "text/plain" }).links]).toEqual([]);
    const file = { type: "text/plain", url: "https://raw.example/README.md" };
    expect(text(markdown, file).links.size).toBe(2);
  });

  test("readBytes() makes a list of a feed, RSS or Atom, and offers what it announces", () => {
    const rss = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "${"x".repeat(99)}">]>
      <rss version="2.0"><channel><title>The Shore &amp; Post</title><link>https://shore.example/</link>
      <image><title>Logo</title><link>https://logo.example/</link></image>
      <item><title><![CDATA[Bridge <b>open</b>]]></title><link>https://shore.example/1</link>
      <pubDate>Wed, 04 Mar 2026 06:00:00 GMT</pubDate><description>&lt;p&gt;It opened &amp;amp; shone.&lt;/p&gt;
      </description><media:title>Other</media:title></item>
      <item><link>javascript:alert(1)</link><description>&a;</description></item></channel></rss>`;
    expect(text(rss, { type: "application/rss+xml" })).toEqual({
      kind: "text",
      title: "The Shore & Post",
      text: "## Bridge open\n<https://shore.example/1>\nWed, 04 Mar 2026 06:00:00 GMT\n\n" +
        "It opened & shone.\n\n## (no title)\n\n&a;",
      links: new Set(["https://shore.example/1"]),
      notes: [],
    });
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><entry>
      <title type="html">One</title><link rel="self" href="/one.xml"/><link href="/one"/>
      <updated>2026-03-04</updated><author><name>Ada</name></author>
      <content type="xhtml"><div>Some <i>words</i></div></content></entry></feed>`;
    expect(text(atom, { type: "text/xml" }).text).toBe(
      "## One\n<https://site.example/one>\n2026-03-04\n\nSome words",
    );
    expect(text("<feed/>", { type: "application/atom+xml" }).text).toBe("the feed has no entries");
    const other = "<doc><rss >no feed</rss></doc>";
    expect(text(other, { type: "application/xml" }).text).toBe(other);
    const deep = `<rss><channel>${"<a>".repeat(300_000)}${"</x>".repeat(300_000)}`;
    expect(text(deep, { type: "text/xml" }).text).toBe("the feed has no entries");
    const long = `<rss><channel>${"<item><title>x</title></item>".repeat(40_000)}`;
    expect(text(long, { type: "text/xml" }).text.match(/## x/g)).toHaveLength(300);
  });

  test("readBytes() tells pictures and documents by their bytes, whatever is said of them", () => {
    const of = (head: string, type: string): unknown =>
      read(Uint8Array.from(`${head}\0\0`, (one) => one.charCodeAt(0)), { type });
    expect(of("\x89PNG\r\n\x1a\n", "text/html")).toMatchObject({ mimeType: "image/png" });
    expect(of("%PDF-1.7", "application/octet-stream")).toEqual({ kind: "pdf" });
    expect(of("PK\x03\x04", "text/html")).toMatchObject({ kind: "other" });
    expect(of("ab", "text/html")).toEqual({ kind: "other", name: "no text" });
  });

  test("readBytes() leaves out what nobody sees and says how much it was", () => {
    const hidden = Array.from(
      "pay mallory",
      (one) => String.fromCodePoint(0xe0000 + (one.codePointAt(0) ?? 0)),
    ).join("");
    const { text: shown, notes } = text(`plain\u001b[2J${hidden} text\ufe01\ufe02\r\nand more`, {
      type: "text/plain",
    });
    expect(shown).toBe("plain[2J text\nand more");
    expect(notes).toEqual(["14 invisible characters were left out"]);
    const used = "☎️ 1️⃣ 👩🏽‍💻 ❤️‍🔥 می‌خواهم क्‍ष";
    expect(text(used, { type: "text/plain" }).text).toBe(used);
    expect(text("a\u200db 1\u200c2", { type: "text/plain" }).text).toBe("ab 12");
  });
});

test("wordsOf() gives the words of a snippet in one line", () => {
  expect(wordsOf("A <strong>small</strong> &amp; fast\n one\u200b<script>x</script> <b>")).toBe(
    "A small & fast one",
  );
});
