/**
 * Files too large to be held in memory: read in pieces, or at a place, and received through a part
 * beside them that is never taken for the whole.
 */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { SionError } from "#internal/core/mod.ts";
import type { FileErrorCode } from "./files.ts";
import { codeOf } from "./error_code.ts";
import { located, removeFile, renameFile } from "./files.ts";
import { reasonOf } from "./time.ts";

/** Bytes that are read at once. */
const PIECE_BYTES = 1 << 18;
/** Owner reads and writes, nobody else. */
const PRIVATE_FILE = 0o600;

/** A file that is open for reading. */
export interface LargeFile extends AsyncDisposable {
  /** Its bytes when it was opened. */
  readonly sizeBytes: number;
  /** What is in it from its beginning on, piece by piece; each piece is the caller's. */
  pieces(signal?: AbortSignal): AsyncGenerator<Uint8Array>;
  /** The bytes at a place; fewer where the file ends. */
  read(at: number, length: number): Promise<Uint8Array>;
}

/**
 * Opens a file for reading; undefined when there is none.
 * @param shownAs the path as messages show it. @default path
 * @throws {SionError} `file-unfit` for what is no file.
 */
export async function openLargeFile(
  path: string,
  shownAs: string = path,
): Promise<LargeFile | undefined> {
  let file: FileHandle;
  try {
    // A pipe without a writer is opened too, to be told what it is, instead of waited for.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
  let sizeBytes: number;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? "a folder" : "no file";
      throw new SionError<FileErrorCode>(
        "file-unfit",
        `${shownAs} is ${what}: give a file`,
        { data: { path } },
      );
    }
    sizeBytes = stats.size;
  } catch (error) {
    await file.close();
    throw error;
  }
  const read = async (at: number, length: number): Promise<Uint8Array> => {
    try {
      return await readAt(file, at, length);
    } catch (error) {
      // What reads of an open file does not name it.
      throw located(error, path);
    }
  };
  return {
    sizeBytes,
    read,
    async *pieces(signal) {
      for (let at = 0;;) {
        if (signal?.aborted === true) throw reasonOf(signal);
        const piece = await read(at, PIECE_BYTES);
        if (piece.length === 0) return;
        at += piece.length;
        yield piece;
      }
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === length ? bytes : bytes.slice(0, filled);
}

/** What a file is received through, beside it. */
export function partOf(path: string): string {
  return `${path}.part`;
}

/**
 * Puts what comes in pieces under a name, replacing what was there, for its owner only. The name holds
 * the old bytes or all of the new ones; what is left of a broken reception is `partOf(path)`, which the
 * next one writes over. One reception of a path at a time.
 * @param check looks at what has come, once it is on the disk; when it throws, nothing is kept.
 */
export async function receiveFile(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  check: () => Promise<void>,
): Promise<void> {
  const part = partOf(path);
  try {
    const file = await open(part, "w", PRIVATE_FILE);
    try {
      for await (const piece of pieces) await writeWhole(file, piece);
      await file.sync();
    } catch (error) {
      throw located(error, path);
    } finally {
      await file.close();
    }
    await check();
    await renameFile(part, path);
  } catch (error) {
    await removeFile(part);
    throw error;
  }
}

async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let from = 0; from < piece.length;) {
    const { bytesWritten } = await file.write(piece, from, piece.length - from);
    from += bytesWritten;
  }
}
