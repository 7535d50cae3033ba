/**
 * Files that survive a crash and keep secrets. A write is atomic: the name holds the old bytes or
 * the new ones, whole, and once a write has returned the new ones are on the disk.
 */
import { closeSync, constants, fsyncSync, mkdirSync, openSync, type Stats } from "node:fs";
import { link, lstat, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SionError, toHex } from "#internal/core/mod.ts";
import { codeOf } from "./error_code.ts";
import { systemRandom } from "./random.ts";

/**
 * - `file-exposed`: others than its owner may read or write a file that holds a secret.
 * - `file-exists`: a new file's name is taken.
 * - `file-unfit`: what is there is no file, leads nowhere, or is too large. Data: `path`.
 */
export type FileErrorCode = "file-exposed" | "file-exists" | "file-unfit";

/** No key that sion keeps is near this. */
const MOST_SECRET_BYTES = 4_096;
/** Owner reads and writes, nobody else. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * Makes a folder and those above it, each new one readable by its owner only. They are on the disk
 * once it returns: what is written into them would be lost with them.
 */
export async function ensureFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
  for (const parent of parentsOfNew(first, path)) await syncFolder(parent);
}

/** The same at once, for what cannot wait. */
export function ensureFolderSync(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
  for (const parent of parentsOfNew(first, path)) syncFolderSync(parent);
}

/** The folders that hold the names of those made, from `first` to `path`; none when it was there. */
function parentsOfNew(first: string | undefined, path: string): string[] {
  if (first === undefined) return [];
  const parents = [];
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made)) {
    parents.push(dirname(made));
  }
  return parents.reverse();
}

/** Puts `bytes` under a name, replacing what was there. Mode 0600 unless given. */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const temporary = await writeTemporary(path, bytes, options.mode ?? PRIVATE_FILE);
  try {
    await rename(temporary, path);
  } catch (error) {
    await unlinkIfThere(temporary);
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Puts `bytes` under a new name. Mode 0600 unless given.
 * @throws {SionError} `file-exists` when the name is taken; what is there stays as it is.
 */
export async function writeNewFile(
  path: string,
  bytes: Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const temporary = await writeTemporary(path, bytes, options.mode ?? PRIVATE_FILE);
  try {
    await link(temporary, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw new SionError<FileErrorCode>("file-exists", `Cannot write ${path}: it exists already`);
  } finally {
    await unlinkIfThere(temporary);
  }
  await syncFolder(dirname(path));
}

/** Gives a file that is on the disk another name in its folder, over what had it. */
export async function renameFile(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Most bytes of a file that is read whole, unless said otherwise. */
const MOST_BYTES = 16 << 20;

/**
 * A file's bytes, or `undefined` when there is none.
 * @throws {SionError} `file-unfit` for what is no file, a link to nothing, or above `mostBytes`.
 */
export async function readFileIfThere(
  path: string,
  { mostBytes = MOST_BYTES, shownAs = path }: { mostBytes?: number; shownAs?: string } = {},
): Promise<Uint8Array | undefined> {
  return await readChecked(path, { mostBytes, shownAs }, () => {});
}

/**
 * The bytes of a file that holds a secret, or `undefined` when there is none.
 * @param shownAs the path as the message shows it. @default path
 * @param mostBytes what it may have. @default 4096
 * @throws {SionError} `file-exposed` when others may read or write it, `file-unfit` as
 * `readFileIfThere`; nothing is read then.
 */
export async function readPrivateFile(
  path: string,
  shownAs: string = path,
  mostBytes: number = MOST_SECRET_BYTES,
): Promise<Uint8Array | undefined> {
  return await readChecked(path, { mostBytes, shownAs }, ({ mode }) => {
    const others = mode & 0o077;
    if (others === 0) return;
    const verb = (others & 0o044) !== 0 ? "read" : "write";
    const shown = `0${(mode & 0o777).toString(8).padStart(3, "0")}`;
    throw new SionError<FileErrorCode>(
      "file-exposed",
      `others can ${verb} ${shownAs} (mode ${shown}): run \`chmod 600 ${shownAs}\``,
      { data: { path, mode: mode & 0o777 } },
    );
  });
}

/** Removes a file; one that is not there is no error. True when it was there. */
export async function removeFile(path: string): Promise<boolean> {
  const removed = await unlinkIfThere(path);
  if (removed) await syncFolder(dirname(path));
  return removed;
}

/** Checks and reads one opened file, so that no other can take its place in between. */
async function readChecked(
  path: string,
  { mostBytes, shownAs }: { readonly mostBytes: number; readonly shownAs: string },
  check: (stats: Stats) => void,
): Promise<Uint8Array | undefined> {
  let file;
  try {
    // A pipe without a writer is opened too, to be told what it is, instead of waited for.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    if (await isLink(path)) throw unfit(path, `${shownAs} is a link that leads nowhere: mend it`);
    return undefined;
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? "a folder" : "no file";
      throw unfit(path, `${shownAs} is ${what}: put a file there, or remove it`);
    }
    if (stats.size > mostBytes) {
      throw unfit(path, `${shownAs} has ${stats.size} bytes: at most ${mostBytes} are read`);
    }
    check(stats);
    return await readUpTo(file, mostBytes);
  } finally {
    await file.close();
  }
}

/** A file may grow while it is read: no more than the bound is taken. */
async function readUpTo(file: FileHandle, mostBytes: number): Promise<Uint8Array> {
  const { size } = await file.stat();
  const bytes = new Uint8Array(Math.min(size, mostBytes));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.slice(0, length);
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

function unfit(path: string, message: string): SionError<FileErrorCode> {
  return new SionError("file-unfit", message, { data: { path } });
}

async function writeTemporary(path: string, bytes: Uint8Array, mode: number): Promise<string> {
  const name = `.${basename(path)}.${toHex(systemRandom(6))}.tmp`;
  const temporary = join(dirname(path), name);
  const file = await open(temporary, "wx", mode);
  try {
    await file.chmod(mode);
    await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    await unlinkIfThere(temporary);
    // What writes to an open file does not name it.
    throw located(error, path);
  } finally {
    await file.close();
  }
  return temporary;
}

/** A new name is on the disk only once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } catch (error) {
    if (!keepsNames(error)) throw error;
  } finally {
    await folder.close();
  }
}

function syncFolderSync(path: string): void {
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } catch (error) {
    if (!keepsNames(error)) throw error;
  } finally {
    closeSync(folder);
  }
}

/** Some file systems cannot sync a folder; they keep names without it. */
function keepsNames(error: unknown): boolean {
  return codeOf(error) === "EINVAL" || codeOf(error) === "EISDIR";
}

async function unlinkIfThere(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** True when something is at the path, and where it leads to, if it is a link. */
export async function pathExists(path: string): Promise<boolean> {
  return await isThere(() => stat(path));
}

/** True when a name is taken, also by a link that leads nowhere. */
export async function isTaken(path: string): Promise<boolean> {
  return await isThere(() => lstat(path));
}

async function isThere(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

/** An error that names no path, with the path it is about, as errors of files have it. */
export function located(error: unknown, path: string): unknown {
  return error instanceof Error && !("path" in error) ? Object.assign(error, { path }) : error;
}
