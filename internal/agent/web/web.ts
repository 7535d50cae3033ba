/** What a session reads of the web: pages as text, each kept for a while so that it is read on as it was. */
import { Buffer } from "node:buffer";
import { VERSION } from "#internal/core/mod.ts";
import { fetchPage } from "#internal/runtime/mod.ts";
import type { WebNetwork, WebPage } from "#internal/runtime/mod.ts";
import { AgentError } from "../errors.ts";
import { plainText, readBytes } from "./page.ts";
import type { ReadableText } from "./page.ts";
import type { PdfText } from "./pdf_text.ts";

/** A page at most, bytes. */
const MAX_BYTES = 10_000_000;
/** Until all of a page is there, ms. */
const TIME_MS = 30_000;
/** Pages that are kept to be read on. */
const MAX_KEPT = 8;
/** Larger pictures are named only: models take no more, bytes. */
const MAX_PICTURE_BYTES = 3_750_000;
const HEADERS = {
  accept:
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5",
  "user-agent": `sion/${VERSION} (an AI agent, reading for a person)`,
};

/** A page to read. */
export interface PageWanted {
  readonly url: URL;
  /** All of it, its menus and sidebars too. */
  readonly whole: boolean;
  /** What was read of it before will do. */
  readonly kept: boolean;
}

/** What was read. */
export interface ReadPage {
  /** Where it came from: the last redirect's address. */
  readonly url: string;
  readonly status: number;
  /** The media type as its server says it, empty when it says none. */
  readonly mediaType: string;
  readonly content: ReadableText | Picture;
}

/** A picture, as models take it. */
export interface Picture {
  readonly kind: "picture";
  /** With its article, for sentences. */
  readonly name: string;
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
  readonly bytes: number;
}

/** Reads pages. */
export interface PageReader {
  /** @throws {SionError} `WebErrorCode`; {AgentError} `no-text` of what has none; the signal's reason */
  read(wanted: PageWanted, signal: AbortSignal): Promise<ReadPage>;
}

/** What it is made of. */
export interface PageReaderParts {
  readonly pdfText: PdfText;
  /** @default this machine's */
  readonly network?: WebNetwork;
}

/** Makes one: public places only, and nothing that says who asks. */
export function createPageReader({ pdfText, network }: PageReaderParts): PageReader {
  const kept = new Map<string, ReadPage>();
  return {
    async read({ url, whole, kept: keptWillDo }, signal) {
      const key = `${whole ? "whole" : "main"} ${url.href}`;
      const known = kept.get(key);
      if (keptWillDo && known !== undefined) return known;
      const page = await fetchPage({
        url,
        headers: HEADERS,
        reach: { loopback: false, private: false },
        timeoutMs: TIME_MS,
        maxBytes: MAX_BYTES,
        signal,
        ...(network === undefined ? {} : { network }),
      });
      const content = await contentOf(page, { whole, pdfText, signal });
      const [mediaType = ""] = (page.headers["content-type"] ?? "").split(";");
      const read: ReadPage = {
        url: page.url.href,
        status: page.status,
        mediaType: /^[\w.+/-]{1,80}$/.test(mediaType.trim()) ? mediaType.trim() : "",
        content,
      };
      kept.delete(key);
      if (content.kind === "text") kept.set(key, read);
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_KEPT) break;
        kept.delete(oldest);
      }
      return read;
    },
  };
}

async function contentOf(
  { body, headers, url }: WebPage,
  { whole, pdfText, signal }: {
    readonly whole: boolean;
    readonly pdfText: PdfText;
    readonly signal: AbortSignal;
  },
): Promise<ReadableText | Picture> {
  const type = headers["content-type"] ?? "";
  const found = readBytes({ bytes: body, type, url, whole });
  switch (found.kind) {
    case "text":
      return found;
    case "picture": {
      if (body.length > MAX_PICTURE_BYTES) {
        throw noText(
          `${found.name} of ${body.length} bytes, more than is shown: give a smaller one`,
        );
      }
      return { ...found, data: Buffer.from(body).toString("base64"), bytes: body.length };
    }
    case "pdf": {
      const text = plainText(await pdfText(body, signal));
      if (text.text !== "") return text;
      return { ...text, notes: [...text.notes, "the document has no text, only pictures of it"] };
    }
    case "other":
      throw noText(`${found.name}, which is not shown: give the address of a page`);
  }
}

function noText(what: string): AgentError {
  return new AgentError("no-text", `there is ${what}`);
}
