/** Bytes of a page as text, in the encoding that they or their sender name (WHATWG Encoding, HTML 13.2.3). */

/** Bytes in which a page may name its encoding. */
const PRESCAN_BYTES = 4_096;
const MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * The text. A mark at its beginning decides, then what the sender says, then what the text says of
 * itself; one that names nothing is UTF-8, or else the encoding of old western pages. What an encoding
 * does not have becomes U+FFFD.
 * @param named the sender's, empty when it names none
 */
export function decodeText(bytes: Uint8Array, named: string): string {
  const marked = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
  const decoder = decoderOf(marked) ?? decoderOf(named) ?? decoderOf(namedWithin(bytes));
  if (decoder !== undefined) return decoder.decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function decoderOf(encoding: string | undefined): TextDecoder | undefined {
  if (encoding === undefined || encoding === "") return undefined;
  try {
    return new TextDecoder(encoding);
  } catch {
    // No encoding that anybody has: as if it named none.
    return undefined;
  }
}

/** What HTML or XML says of itself, in ASCII whatever the encoding. */
function namedWithin(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN_BYTES));
  const [, name] = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head) ??
    /<meta[^>]{1,400}charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head) ?? [];
  // It was read as ASCII, so it cannot be what it says.
  return name !== undefined && /^utf-?16/i.test(name) ? "utf-8" : name;
}
