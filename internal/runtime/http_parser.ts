/** Reads one HTTP/1.1 answer from chunks of bytes. Source: RFC 9112 sections 4 to 7. */
import { concatBytes } from "#internal/core/mod.ts";

/** Status and headers of an answer; header names in lower case, the last of a name wins. */
export interface HttpHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the parser calls: the head once, then the body's pieces. */
export interface HttpSink {
  onHead(head: HttpHead): void;
  onBody(part: Uint8Array): void;
}

/** A parser of one answer. */
export interface HttpParser {
  /** Takes bytes. True once the answer is whole. @throws {SyntaxError} when they are no HTTP. */
  take(chunk: Uint8Array): boolean;
  /** The connection ended: true when that makes the answer whole. */
  end(): boolean;
  /** Whether the connection may carry another request after a whole answer. */
  readonly keepAlive: boolean;
}

const MAX_HEAD_BYTES = 64 << 10;
const MAX_LINE_BYTES = 1 << 10;
/** Answers of status 1xx before the real one. */
const MAX_INTERIM = 8;
const CR = 13;
const LF = 10;

/** Where the reader is: `length` counts down `left`, `close` reads until the connection ends. */
type State =
  | "head"
  | "length"
  | "chunk-size"
  | "chunk"
  | "chunk-end"
  | "trailer"
  | "close"
  | "done";

/** A parser for the next answer of a connection. */
export function createHttpParser(sink: HttpSink): HttpParser {
  let state: State = "head";
  let pending: Uint8Array = new Uint8Array();
  let left = 0;
  let keepAlive = false;
  let trailerBytes = 0;
  let interim = 0;

  const startBody = (head: HttpHead): State => {
    const { status, headers } = head;
    keepAlive = headers["connection"]?.toLowerCase() !== "close";
    if (status === 204 || status === 304) return "done";
    if (headers["transfer-encoding"]?.toLowerCase() === "chunked") return "chunk-size";
    const length = headers["content-length"];
    if (length === undefined) {
      keepAlive = false;
      return "close";
    }
    if (!/^\d{1,15}$/.test(length)) throw new SyntaxError("Cannot read HTTP: bad content-length");
    left = Number(length);
    return left === 0 ? "done" : "length";
  };

  /** Handles what it can at the front of `bytes`; answers how much it used, 0 to wait for more. */
  const step = (bytes: Uint8Array): number => {
    switch (state) {
      case "head": {
        const end = indexOfHeadEnd(bytes);
        if (!isWhole(end, bytes, MAX_HEAD_BYTES)) return 0;
        const head = parseHead(bytes.subarray(0, end));
        // 1xx answers announce the real one.
        if (head.status < 200) {
          if (++interim > MAX_INTERIM) throw new SyntaxError("Cannot read HTTP: no answer follows");
          return end;
        }
        sink.onHead(head);
        state = startBody(head);
        return end;
      }
      case "length":
      case "chunk": {
        const n = Math.min(left, bytes.length);
        sink.onBody(bytes.slice(0, n));
        left -= n;
        if (left === 0) state = state === "length" ? "done" : "chunk-end";
        return n;
      }
      case "close":
        sink.onBody(bytes.slice());
        return bytes.length;
      case "chunk-size":
      case "chunk-end":
      case "trailer": {
        const end = bytes.indexOf(LF);
        if (!isWhole(end, bytes, MAX_LINE_BYTES)) return 0;
        readLine(ascii(bytes.subarray(0, end)).replace(/\r$/, ""));
        return end + 1;
      }
      case "done":
        throw new SyntaxError("Cannot read HTTP: bytes follow the answer");
    }
  };

  const readLine = (line: string): void => {
    if (state === "chunk-end") {
      if (line !== "") throw new SyntaxError("Cannot read HTTP: a chunk has the wrong length");
      state = "chunk-size";
    } else if (state === "trailer") {
      checkLength(trailerBytes += line.length, MAX_HEAD_BYTES);
      if (line === "") state = "done";
    } else {
      left = chunkSize(line);
      state = left === 0 ? "trailer" : "chunk";
    }
  };

  return {
    get keepAlive() {
      return keepAlive;
    },
    take(chunk) {
      let bytes = pending.length === 0 ? chunk : concatBytes(pending, chunk);
      while (bytes.length > 0) {
        const used = step(bytes);
        if (used === 0) break;
        bytes = bytes.subarray(used);
      }
      pending = bytes.slice();
      return state === "done";
    },
    end() {
      if (state === "close") state = "done";
      return state === "done";
    },
  };
}

/**
 * Whether what ends at `end`, or not yet if that is below 0, is there. Either may not be too long, so
 * that what is taken does not depend on how it is cut.
 */
function isWhole(end: number, bytes: Uint8Array, max: number): boolean {
  checkLength(end < 0 ? bytes.length : end, max);
  return end >= 0;
}

function chunkSize(line: string): number {
  const size = line.split(";", 1)[0]?.trim() ?? "";
  if (!/^[0-9a-f]{1,8}$/i.test(size)) throw new SyntaxError("Cannot read HTTP: bad chunk");
  return Number.parseInt(size, 16);
}

function checkLength(bytes: number, max: number): void {
  if (bytes > max) throw new SyntaxError("Cannot read HTTP: a line is too long");
}

/** Index behind the empty line that ends a head, or -1. */
function indexOfHeadEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] === LF) return next + 1;
  }
  return -1;
}

function ascii(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

function parseHead(bytes: Uint8Array): HttpHead {
  const [first = "", ...lines] = ascii(bytes).split(/\r?\n/);
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw new SyntaxError("Cannot read HTTP: no status line");
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    if (line === "") continue;
    const at = line.indexOf(":");
    if (at < 1) throw new SyntaxError("Cannot read HTTP: a header has no name");
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
  }
  return { status: Number(status), headers };
}
