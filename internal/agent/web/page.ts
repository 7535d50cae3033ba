/** What came from an address, as what a model can read: text, a picture, or a document to be converted. */
import { kindOfBytes } from "../file_kind.ts";
import { decodeText } from "./charset.ts";
import { readFeed } from "./feed.ts";
import type { Feed } from "./feed.ts";
import { visibleText } from "./invisible.ts";
import { mainPart } from "./main_part.ts";
import { inOneLine, readTree } from "./tree.ts";
import { writeLine, writeText } from "./write_text.ts";

/** Text of one page that is kept, characters. */
const MAX_TEXT_LENGTH = 2_000_000;
/** Links of one page that are kept. */
const MAX_LINKS = 20_000;

/** Bytes and what their sender said of them. */
export interface ReceivedBytes {
  readonly bytes: Uint8Array;
  /** As in a `content-type` header; empty when nothing was said. */
  readonly type: string;
  /** Where they came from. */
  readonly url: URL;
  /** All of a page, its menus and sidebars too. */
  readonly whole: boolean;
}

/** A text to be read on, from the beginning. */
export interface ReadableText {
  readonly kind: "text";
  /** In one line; empty when it has none. */
  readonly title: string;
  readonly text: string;
  /** Addresses that the text offers, as they stand in it. */
  readonly links: ReadonlySet<string>;
  /** What there is to say about it. */
  readonly notes: readonly string[];
}

/** What was received. */
export type Readable =
  | ReadableText
  | { readonly kind: "picture"; readonly name: string; readonly mimeType: string }
  | { readonly kind: "pdf" }
  | { readonly kind: "other"; readonly name: string };

/** Reads what was received, whatever it is. */
export function readBytes(received: ReceivedBytes): Readable {
  const { bytes, url } = received;
  const [mediaType, charset] = contentType(received.type);
  const found = kindOfBytes(bytes);
  if (found?.picture !== undefined) {
    return { kind: "picture", name: found.name, mimeType: found.picture };
  }
  if (found?.name === "a PDF document") return { kind: "pdf" };
  // Text in an encoding of two bytes a character has zeros.
  const isWide = /^utf-?16/.test(charset) || found?.name === "text in UTF-16";
  if (found !== undefined && !isWide) return { kind: "other", name: found.name };
  const text = decodeText(bytes, charset);
  if (isHtml(mediaType, text)) return htmlText(text, received);
  const feed = /(?:^|[/+])xml$/.test(mediaType) ? readFeed(text) : undefined;
  if (feed !== undefined) return feedText(feed, url);
  const isMarkdown = /markdown/.test(mediaType) || /\.(?:md|markdown)$/i.test(url.pathname);
  return plainText(text, isMarkdown ? markdownLinks(text, url) : new Set());
}

/** A text as it stands, as of a document that was converted. */
export function plainText(given: string, links: ReadonlySet<string> = new Set()): ReadableText {
  return bounded({ title: "", text: given, links, notes: [] });
}

/** The words of a piece of HTML, in one line. */
export function wordsOf(html: string): string {
  return inOneLine(visibleText(writeLine(readTree(html).root)).text);
}

function htmlText(html: string, { url, whole }: ReceivedBytes): ReadableText {
  const tree = readTree(html);
  const base = (tree.base === undefined ? null : URL.parse(tree.base, url)) ?? url;
  const { root, partial } = whole ? { root: tree.root, partial: false } : mainPart(tree.root);
  const written = writeText(root, base);
  const notes: string[] = [];
  const links = new Set(written.links);
  let { text } = written;
  if (text === "" && tree.description !== "") text = tree.description;
  if (text === "") notes.push("the page has no text of its own: scripts make it");
  const next = tree.refresh === undefined ? null : URL.parse(tree.refresh, base);
  if (next !== null && /^https?:$/.test(next.protocol) && next.href !== url.href) {
    links.add(next.href);
    notes.push(`the page leads on to <${next.href}>`);
  }
  if (partial) notes.push("menus and the like are left out: whole gives them too");
  if (tree.cut) notes.push("the page is larger or deeper than is read, its end is missing");
  return bounded({ title: tree.title, text, links, notes });
}

function feedText({ title, entries }: Feed, url: URL): ReadableText {
  const links = new Set<string>();
  const texts = entries.map((entry) => {
    const link = URL.parse(entry.link, url);
    const isLink = link !== null && /^https?:$/.test(link.protocol);
    if (isLink) links.add(link.href);
    const named = wordsOf(entry.title);
    const lines = [
      `## ${named === "" ? "(no title)" : named}`,
      ...(isLink ? [`<${link.href}>`] : []),
      ...(entry.date === "" ? [] : [inOneLine(entry.date)]),
    ];
    const summary = wordsOf(entry.summary);
    return lines.join("\n") + (summary === "" ? "" : `\n\n${summary}`);
  });
  const text = texts.length === 0 ? "the feed has no entries" : texts.join("\n\n");
  return bounded({ title: wordsOf(title), text, links, notes: [] });
}

/** Within what is kept, and without what nobody sees. */
function bounded(page: Omit<ReadableText, "kind">): ReadableText {
  const cut = page.text.length > MAX_TEXT_LENGTH;
  const { text, leftOut } = visibleText(page.text.slice(0, MAX_TEXT_LENGTH));
  const title = visibleText(page.title);
  const notes = [...page.notes];
  if (cut) notes.push(`only the first ${MAX_TEXT_LENGTH} characters are read`);
  const hidden = leftOut + title.leftOut;
  if (hidden > 0) {
    notes.push(
      `${hidden} invisible ${hidden === 1 ? "character was" : "characters were"} left out`,
    );
  }
  const links = new Set([...page.links].slice(0, MAX_LINKS));
  return { kind: "text", title: inOneLine(title.text), text: text.trim(), links, notes };
}

/** The media type in lower case, and the encoding it names, empty when it names none. */
function contentType(header: string): [mediaType: string, charset: string] {
  const [mediaType = "", ...parameters] = header.slice(0, 300).toLowerCase().split(";");
  const [charset = ""] = parameters.flatMap((parameter) =>
    /^\s*charset\s*=\s*"?\s*([\w.:-]{1,40})/.exec(parameter)?.[1] ?? []
  );
  return [mediaType.trim(), charset];
}

function isHtml(mediaType: string, text: string): boolean {
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return true;
  const isSaid = mediaType !== "" && mediaType !== "application/octet-stream";
  return !isSaid &&
    /^\s*(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype html|html|head|body)[\s>]/i.test(text);
}

/** Addresses of a Markdown text's links that stand in it whole, so that they can be passed on as they are. */
function markdownLinks(text: string, url: URL): ReadonlySet<string> {
  const links = new Set<string>();
  const found = text.matchAll(
    /\]\(\s*<?(https?:\/\/[^\s<>()]{1,2000})|<(https?:\/\/[^\s<>]{1,2000})>/gi,
  );
  for (const [, inline, bare] of found) {
    const address = URL.parse(inline ?? bare ?? "", url);
    if (address !== null) links.add(inline ?? bare ?? "");
  }
  return links;
}
