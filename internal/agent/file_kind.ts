/** What a file is by its first bytes: enough to say why its text is not shown. */

/** A file that is no text. */
export interface FileKind {
  /** With its article, for sentences. */
  readonly name: string;
  /** Its MIME type, if it is a picture that models look at. */
  readonly picture?: string;
}

/** So many bytes tell every kind that is told. */
export const HEAD_BYTES = 512;

/** A kind and how its files begin: a text of one character a byte, `.` for any. */
const KINDS: readonly (FileKind & { readonly begins: string })[] = [
  { name: "a PNG picture", picture: "image/png", begins: "\x89PNG\r\n\x1a\n" },
  { name: "a JPEG picture", picture: "image/jpeg", begins: "\xff\xd8\xff" },
  { name: "a GIF picture", picture: "image/gif", begins: "GIF87a" },
  { name: "a GIF picture", picture: "image/gif", begins: "GIF89a" },
  { name: "a WebP picture", picture: "image/webp", begins: "RIFF....WEBP" },
  { name: "a PDF document", begins: "%PDF-" },
  { name: "a zip archive, or a document that is one", begins: "PK\x03\x04" },
  { name: "a gzip archive", begins: "\x1f\x8b" },
  { name: "a zstd archive", begins: "\x28\xb5\x2f\xfd" },
  { name: "an xz archive", begins: "\xfd7zXZ\0" },
  { name: "a program", begins: "\x7fELF" },
  { name: "a WebAssembly module", begins: "\0asm" },
  { name: "an SQLite database", begins: "SQLite format 3\0" },
  { name: "text in UTF-16", begins: "\xff\xfe" },
  { name: "text in UTF-16", begins: "\xfe\xff" },
];

/** The kind of a file that begins so, or `undefined` when it may be text in UTF-8. */
export function kindOfBytes(head: Uint8Array): FileKind | undefined {
  const found = KINDS.find(({ begins }) =>
    begins.length <= head.length &&
    begins.split("").every((char, index) => char === "." || char.charCodeAt(0) === head[index])
  );
  if (found !== undefined) return found;
  return head.includes(0) ? { name: "no text" } : undefined;
}
