/** The text of a file, so that what is not changed of it stays as it is to the byte. */
import { utf8 } from "#internal/core/mod.ts";

/** The text of a file in UTF-8. */
export interface TextFile {
  /** Whether a byte order mark stands before it; it is no part of the text. */
  readonly mark: boolean;
  readonly text: string;
}

const MARK = [0xef, 0xbb, 0xbf];

/** The text of these bytes, or `undefined` when they are no UTF-8 text. */
export function textOfBytes(bytes: Uint8Array): TextFile | undefined {
  if (bytes.includes(0)) return undefined;
  const mark = MARK.every((byte, index) => bytes[index] === byte);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return { mark, text: decoder.decode(mark ? bytes.subarray(MARK.length) : bytes) };
  } catch {
    return undefined;
  }
}

/** The bytes of a text. */
export function bytesOfText({ mark, text }: TextFile): Uint8Array {
  return utf8(mark ? `\ufeff${text}` : text);
}

/** How most lines of a text end; a text without lines ends them as most files do. */
export function lineEnding(text: string): "\n" | "\r\n" {
  let all = 0;
  let crlf = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    all++;
    if (text[at - 1] === "\r") crlf++;
  }
  return crlf * 2 > all ? "\r\n" : "\n";
}

/** The text with every line ending in one character. */
export function withPlainEndings(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** The lines of a text without their endings; a last line that is not ended is one too. */
export function linesOf(text: string): string[] {
  const lines = withPlainEndings(text).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
