/** Reads a stretch of a text file in the workspace, its lines numbered. */
import type { FileHandle } from "node:fs/promises";
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { PATH_DESCRIPTION, pathFailure, workspaceOf } from "./_files.ts";
import { defineAgentTool } from "./_tool.ts";

const DEFAULT_LINES = 2_000;
/** Longer lines are cut, characters. */
const MAX_LINE_LENGTH = 2_000;
/** Text of one answer, characters. */
const MAX_TEXT_LENGTH = 60_000;
/** A file beyond this is not read to its end to count its lines, bytes. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Each line is its number, a tab and its text. */
export const readFile = defineAgentTool({
  name: "read_file",
  title: "Read a file",
  description: "Read a text file in the workspace, its lines numbered (the numbers are not part " +
    "of the file). Long files are read a stretch at a time with offset and limit.",
  input: z.strictObject({
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
  async run(context, { path, offset = 1, limit = DEFAULT_LINES }) {
    let file: FileHandle;
    try {
      file = await workspaceOf(context).openFile(path);
    } catch (error) {
      return pathFailure(error);
    }
    try {
      return await readStretch(file, { path, offset, limit, signal: context.signal });
    } finally {
      await file.close();
    }
  },
});

async function readStretch(
  file: FileHandle,
  { path, offset, limit, signal }: {
    path: string;
    offset: number;
    limit: number;
    signal: AbortSignal;
  },
): Promise<ToolResult> {
  const { size } = await file.stat();
  const stretch = new Stretch(offset, limit);
  try {
    for await (const text of textOf(file)) {
      if (signal.aborted) return refused("cancelled", "reading was stopped");
      stretch.push(text);
      if (stretch.full && size > MAX_COUNTED_BYTES) return { ok: true, text: stretch.text(path) };
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return refused("binary", `${path} is no UTF-8 text (${size} bytes), so it is not shown`);
  }
  stretch.end();
  if (stretch.lines === 0) return { ok: true, text: `${path} is empty` };
  if (offset > stretch.lines) {
    return refused("argument", `${path} has ${linesOf(stretch.lines)}: give a lower offset`);
  }
  return { ok: true, text: stretch.text(path) };
}

/** The file's text in pieces. @throws {TypeError} when it is not text in UTF-8. */
async function* textOf(file: FileHandle): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) break;
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
