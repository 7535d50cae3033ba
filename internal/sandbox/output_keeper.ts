/**
 * The head and the tail of a stream of output, in bounded memory however much comes: the end of a test
 * run is what matters, and its beginning says what ran.
 */
import { stripVTControlCharacters } from "node:util";
import { concatBytes } from "#internal/core/mod.ts";

/** Bytes kept of a stream, and how many there were. */
export interface KeptOutput {
  readonly head: Uint8Array;
  /** What follows the head, or what followed it last. */
  readonly tail: Uint8Array;
  readonly totalBytes: number;
}

/** Keeps the first and the last bytes of what it is given. */
export class OutputKeeper {
  readonly #half: number;
  readonly #head: Uint8Array;
  #headLength = 0;
  /** A ring: the next byte goes to `#next`. */
  readonly #tail: Uint8Array;
  #next = 0;
  #total = 0;

  /** @param bytes kept at most, half of them the head */
  constructor(bytes: number) {
    this.#half = bytes >> 1;
    this.#head = new Uint8Array(this.#half);
    this.#tail = new Uint8Array(this.#half);
  }

  /** Takes a piece; keeps no hold on it. */
  push(piece: Uint8Array): void {
    this.#total += piece.length;
    const fits = Math.min(piece.length, this.#half - this.#headLength);
    this.#head.set(piece.subarray(0, fits), this.#headLength);
    this.#headLength += fits;
    // Of a piece that overruns the ring only its end stays.
    const rest = piece.subarray(Math.max(fits, piece.length - this.#half));
    const first = Math.min(rest.length, this.#half - this.#next);
    this.#tail.set(rest.subarray(0, first), this.#next);
    this.#tail.set(rest.subarray(first), 0);
    this.#next = (this.#next + rest.length) % this.#half;
  }

  /** What is kept so far, in fresh arrays. */
  kept(): KeptOutput {
    const afterHead = this.#total - this.#headLength;
    const head = this.#head.slice(0, this.#headLength);
    const tail = afterHead <= this.#half
      ? this.#tail.slice(0, afterHead)
      : concatBytes(this.#tail.subarray(this.#next), this.#tail.subarray(0, this.#next));
    return { head, tail, totalBytes: this.#total };
  }
}

/** Of what is no text, so much of what it decodes to says nothing: one character in so many. */
const BINARY_SHARE = 10;
/** Shorter output is shown whatever it is, bytes. */
const BINARY_LEAST = 64;
/** What text does not hold: bytes that are no UTF-8, and controls that no terminal is written with. */
// deno-lint-ignore no-control-regex -- they are what is looked for
const NO_TEXT = /[\ufffd\x01-\x07\x0e-\x1a\x1c-\x1f\x7f]/g;

/**
 * Kept output as text of at most `mostBytes`, with a line about what is left out. Sequences that only
 * tell a terminal how to look are left out; bytes that are no UTF-8 are shown as U+FFFD, and of output
 * that is no text only its size is told.
 * @param rest where all of it is, said in that line
 */
export function outputText(
  { head, tail, totalBytes }: KeptOutput,
  mostBytes: number,
  rest?: string,
): string {
  const decoder = { decode: (bytes: Uint8Array) => stripVTControlCharacters(decoded(bytes)) };
  const all = concatBytes(head, tail);
  // Where a piece between them was not kept, the ends of both may be parts of characters.
  const whole = totalBytes === all.length ? all : concatBytes(
    head.subarray(0, wholeEnd(head, head.length)),
    tail.subarray(wholeStart(tail, 0)),
  );
  if (isBinary(whole)) {
    const where = rest === undefined ? "write it into a file to look at it" : rest;
    return `(${totalBytes} bytes that are no text: ${where})\n`;
  }
  if (totalBytes <= Math.min(all.length, mostBytes)) return decoder.decode(all);
  const half = mostBytes >> 1;
  const first = head.subarray(0, wholeEnd(head, Math.min(half, head.length)));
  const last = tail.subarray(wholeStart(tail, Math.max(0, tail.length - half)));
  const left = totalBytes - first.length - last.length;
  const where = rest === undefined ? "" : `: ${rest}`;
  return `${endLine(decoder.decode(first))}… (${left} bytes left out${where}) …\n${
    decoder.decode(last)
  }`;
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Names that end in NUL (`find -print0`) are text; what is mostly NUL, or holds much else, is none. */
function isBinary(bytes: Uint8Array): boolean {
  if (bytes.length < BINARY_LEAST) return false;
  const text = decoded(bytes);
  const noText = text.match(NO_TEXT)?.length ?? 0;
  const empty = text.split("\0").length - 1;
  return noText * BINARY_SHARE > text.length || empty * 2 > text.length;
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The largest end, at most `end`, before which no character of UTF-8 is cut. */
function wholeEnd(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = bytes[end - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? end - back : end;
  }
  return end;
}

/** The smallest start, at least `start`, that is no middle of a character of UTF-8. */
function wholeStart(bytes: Uint8Array, start: number): number {
  for (let at = start; at < Math.min(bytes.length, start + 4); at++) {
    if (((bytes[at] as number) & 0xc0) !== 0x80) return at;
  }
  return start;
}
