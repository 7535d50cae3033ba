/** Reads a stretch of a text file in the workspace, its lines numbered. */
import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import type { OpenedFile } from "../workspace.ts";
import { HEAD_BYTES, kindOfBytes } from "../file_kind.ts";
import type { FileKind } from "../file_kind.ts";
import { PATH_DESCRIPTION, pathFailure, workspaceOf } from "./_files.ts";
import { defineAgentTool } from "./_tool.ts";

const DEFAULT_LINES = 2_000;
/** Longer lines are cut, characters. */
const MAX_LINE_LENGTH = 2_000;
/** Text of one answer, characters. */
const MAX_TEXT_LENGTH = 60_000;
/** What a program is given at once, characters. */
const MAX_PROGRAM_LENGTH = 1_000_000;
/** A file beyond this is not read to its end to count its lines, bytes. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Larger pictures are named only: models take no more, bytes. */
const MAX_PICTURE_BYTES = 3_750_000;

/** Each line is its number, a tab and its text. */
export const readFile = defineAgentTool({
  name: "read_file",
  title: "Read a file",
  description: "Read a text file in the workspace, its lines numbered (the numbers are not part " +
    "of the file). Long files are read a stretch at a time with offset and limit. " +
    "A picture (PNG, JPEG, GIF, WebP) is shown as one. " +
    "A result that was too long is kept, and read as output:<call>, as it says.",
  input: () =>
    z.strictObject({
      limit: z.number().int().min(1).max(DEFAULT_LINES).exactOptional()
        .describe(`How many lines (default ${DEFAULT_LINES})`),
      offset: z.number().int().min(1).exactOptional().describe("First line, from 1 (default 1)"),
      path: z.string().min(1).describe(PATH_DESCRIPTION),
    }),
  highestEffect: "read",
  paths: ({ path }) => [{ path, use: "read" }],
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "path",
  fromPrograms: true,
  needs: ["workspace"],
  async run(context, { path, offset = 1, limit }) {
    let file: OpenedFile;
    try {
      file = await workspaceOf(context).openFile(path);
    } catch (error) {
      return pathFailure(error);
    }
    try {
      const stretch = { path, offset, signal: context.signal };
      const result = context.fromProgram === true
        ? await readForProgram(file.handle, { ...stretch, limit: limit ?? Infinity })
        : await readStretch(file.handle, { ...stretch, limit: limit ?? DEFAULT_LINES });
      return result.ok ? { ...result, shown: [file.name] } : result;
    } finally {
      await file.handle.close();
    }
  },
});

/** Lines of a file that are asked for. */
interface WantedStretch {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The file's own text, whole or the lines that are asked for: a program is not to lose any. */
async function readForProgram(
  file: FileHandle,
  { path, offset, limit, signal }: WantedStretch,
): Promise<ToolResult> {
  const { size } = await file.stat();
  const kind = await kindOf(file);
  if (kind !== undefined) return noText(path, size, kind.name);
  let wanted = "";
  const last = offset + limit;
  let line = 1;
  try {
    for await (const text of textOf(file)) {
      if (signal.aborted) return refused("cancelled", "reading was stopped");
      for (let at = 0; at < text.length;) {
        const end = text.indexOf("\n", at) + 1 || text.length;
        if (line >= offset && line < last) wanted += text.slice(at, end);
        if (wanted.length > MAX_PROGRAM_LENGTH) return tooLongForProgram(path, size);
        if (text[end - 1] === "\n") line++;
        at = end;
      }
      if (line >= last) break;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return noText(path, size, "no UTF-8 text");
  }
  return { ok: true, text: wanted };
}

function tooLongForProgram(path: string, size: number): ToolResult {
  return refused(
    "argument",
    `${path} (${bytesOf(size)}) is more than a program is given at once: ` +
      "read it in stretches with offset and limit",
  );
}

async function readStretch(
  file: FileHandle,
  { path, offset, limit, signal }: WantedStretch,
): Promise<ToolResult> {
  const { size } = await file.stat();
  const kind = await kindOf(file);
  if (kind !== undefined) return await named(file, path, size, kind);
  const stretch = new Stretch(offset, limit);
  try {
    for await (const text of textOf(file)) {
      if (signal.aborted) return refused("cancelled", "reading was stopped");
      stretch.push(text);
      if (stretch.full && size > MAX_COUNTED_BYTES) return { ok: true, text: stretch.text(path) };
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return noText(path, size, "no UTF-8 text");
  }
  stretch.end();
  if (stretch.lines === 0) return { ok: true, text: `${path} is empty` };
  if (offset > stretch.lines) {
    return refused("argument", `${path} has ${linesOf(stretch.lines)}: give a lower offset`);
  }
  return { ok: true, text: stretch.text(path) };
}

/** What a file is by its first bytes, when it is no text. */
async function kindOf(file: FileHandle): Promise<FileKind | undefined> {
  const head = new Uint8Array(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  return kindOfBytes(head.subarray(0, bytesRead));
}

/** A file that has no lines: a picture is shown, anything else is only named. */
async function named(
  file: FileHandle,
  path: string,
  size: number,
  { name, picture }: FileKind,
): Promise<ToolResult> {
  if (picture === undefined) return noText(path, size, name);
  const text = `${path} is ${name} (${bytesOf(size)})`;
  if (size > MAX_PICTURE_BYTES) {
    return refused("binary", `${text}, more than is shown: make a smaller one of it`);
  }
  const bytes = new Uint8Array(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  const data = Buffer.from(bytes.buffer, 0, bytesRead).toString("base64");
  return { ok: true, text, content: [{ type: "image", data, mimeType: picture }] };
}

function noText(path: string, size: number, name: string): ToolResult {
  return refused("binary", `${path} is ${name} (${bytesOf(size)}), so it is not shown`);
}

/** The file's text in pieces, without a mark at its beginning. @throws {TypeError} when it is not text in UTF-8. */
async function* textOf(file: FileHandle): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const chunk = new Uint8Array(CHUNK_BYTES);
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = chunk.subarray(0, bytesRead);
    if (bytes.includes(0)) throw new TypeError("Cannot show the file: it holds a zero byte");
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

/** Picks the wanted lines out of a text that comes in pieces, holding no more than it shows. */
class Stretch {
  readonly #first: number;
  readonly #last: number;
  readonly #shown: string[] = [];
  #length = 0;
  /** Lines that are whole so far. */
  lines = 0;
  /** The beginning of the line that comes in, and how long it is. */
  #line = "";
  #lineLength = 0;
  #crlf = false;

  constructor(offset: number, limit: number) {
    this.#first = offset;
    this.#last = offset + limit - 1;
  }

  /** True when nothing that follows is shown any more. */
  get full(): boolean {
    return this.lines >= this.#last || this.#length >= MAX_TEXT_LENGTH;
  }

  push(text: string): void {
    const pieces = text.split("\n");
    pieces.forEach((piece, index) => {
      this.#lineLength += piece.length;
      if (this.#line.length <= MAX_LINE_LENGTH) {
        this.#line += piece.slice(0, MAX_LINE_LENGTH + 1 - this.#line.length);
      }
      if (index < pieces.length - 1) this.#finish();
    });
  }

  /** A last line without a newline is a line too. */
  end(): void {
    if (this.#lineLength > 0) this.#finish();
  }

  text(path: string): string {
    const last = this.#first + this.#shown.length - 1;
    const notes: string[] = [];
    if (path.endsWith(".ipynb")) notes.push("a Jupyter notebook as it is kept, in JSON");
    if (this.#crlf) notes.push("its lines end in CRLF");
    if (last < this.lines) {
      notes.push(`it goes on after line ${last}: read on with offset ${last + 1}`);
    }
    const note = notes.length === 0 ? "" : `\n(${path}: ${notes.join("; ")})`;
    return this.#shown.join("\n") + note;
  }

  #finish(): void {
    this.lines++;
    if (this.lines >= this.#first && !this.#done()) this.#show();
    this.#line = "";
    this.#lineLength = 0;
  }

  #done(): boolean {
    return this.lines > this.#last || this.#length >= MAX_TEXT_LENGTH;
  }

  #show(): void {
    let line = this.#line;
    if (line.endsWith("\r")) {
      this.#crlf = true;
      line = line.slice(0, -1);
    }
    if (this.#lineLength > MAX_LINE_LENGTH) {
      const more = this.#lineLength - MAX_LINE_LENGTH;
      line = `${line.slice(0, MAX_LINE_LENGTH)}… (${more} more characters)`;
    }
    const numbered = `${this.lines}\t${line}`;
    this.#shown.push(numbered);
    this.#length += numbered.length + 1;
  }
}

function linesOf(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

function bytesOf(count: number): string {
  return count === 1 ? "1 byte" : `${count} bytes`;
}
