/**
 * The folder an agent's file tools work in. A path is walked component by component from a held
 * folder, each opened without following links, so that nothing outside can be named: not by `..`, an
 * absolute path, a link, or a folder that is swapped for a link meanwhile. A link that stays inside
 * is followed. On Linux children are opened through `/proc/self/fd`, which is what `openat` does;
 * where that is missing, paths are used and a swap at the right moment is not excluded.
 */
import { constants, existsSync } from "node:fs";
import type { Stats } from "node:fs";
import { lstat, mkdir, open, readlink, realpath, rename, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { SionError, toHex } from "#internal/core/mod.ts";
import type { Random } from "#internal/core/mod.ts";

/**
 * `outside`: the path leads out of the workspace. `missing`: nothing is there. `not-a-file`: a
 * folder, device, pipe or socket. `path`: no path at all. `denied`: the system does not allow it.
 */
export type WorkspaceErrorCode = "outside" | "missing" | "not-a-file" | "path" | "denied";

/** A path cannot be used; the message is a sentence for the model. */
export class WorkspaceError extends SionError<WorkspaceErrorCode> {}

/** A workspace. Paths are relative to it. */
export interface Workspace {
  /** Where it is, without links. */
  readonly root: string;
  /** Opens a regular file for reading. The caller closes it. @throws {WorkspaceError} */
  openFile(path: string): Promise<FileHandle>;
  /**
   * Writes a whole file, making the folders it stands in: to a new file beside it, which is renamed
   * once it is on the disk. An existing file keeps its mode. @throws {WorkspaceError}
   */
  writeFile(path: string, bytes: Uint8Array): Promise<void>;
}

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } =
  constants;

/** Links followed in one path, as Linux's own limit. */
const MAX_LINKS = 40;
const DESCRIPTORS = "/proc/self/fd";

/** Opens a folder as a workspace. It must exist. */
export async function openWorkspace(folder: string, random: Random): Promise<Workspace> {
  const root = await realpath(folder);
  return {
    root,
    openFile: (path) => at(root, path, false, openRegular),
    writeFile: (path, bytes) =>
      at(root, path, true, (place) => replace(place, bytes, `.sion-${toHex(random(8))}.tmp`)),
  };
}

/** A folder that is held open, so that nothing can take its place. */
interface HeldFolder {
  readonly handle: FileHandle;
  readonly path: string;
}

/** A name in a held folder, with what stands there. */
interface Place {
  readonly folder: HeldFolder;
  readonly name: string;
  readonly stats: Stats | undefined;
  /** The path as the model gave it. */
  readonly shown: string;
}

function child(folder: HeldFolder, name: string): string {
  return join(existsSync(DESCRIPTORS) ? `${DESCRIPTORS}/${folder.handle.fd}` : folder.path, name);
}

async function hold(path: string, realPath: string): Promise<HeldFolder> {
  return { handle: await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path: realPath };
}

/** Walks to a path and does something there while the folders on the way are held. */
async function at<T>(
  root: string,
  path: string,
  makeFolders: boolean,
  act: (place: Place) => Promise<T>,
): Promise<T> {
  const folders: HeldFolder[] = [];
  try {
    folders.push(await hold(root, root));
    return await act(await walk(root, folders, path, makeFolders));
  } catch (error) {
    throw explained(error, path);
  } finally {
    for (const { handle } of folders) await handle.close();
  }
}

async function walk(
  root: string,
  folders: HeldFolder[],
  path: string,
  makeFolders: boolean,
): Promise<Place> {
  if (path === "" || path.includes("\0")) {
    throw new WorkspaceError("path", "that is no path: give one like src/a.txt");
  }
  if (path.startsWith("/")) throw outside(path);
  let rest = components(path);
  for (let links = 0;;) {
    const folder = folders.at(-1);
    const name = rest.shift();
    if (name === undefined || folder === undefined) throw notAFile(path, "a folder");
    if (name === "..") {
      // The root's parent is outside; a parent on the way is the one that was walked through.
      if (folders.length === 1) throw outside(path);
      await folders.pop()?.handle.close();
      continue;
    }
    const stats = await statsOf(child(folder, name));
    if (stats?.isSymbolicLink() === true) {
      if (++links > MAX_LINKS) throw new WorkspaceError("path", `${path} goes round in links`);
      const target = await readlink(child(folder, name));
      if (target.startsWith("/")) {
        if (target !== root && !target.startsWith(`${root}/`)) throw outside(path);
        for (const { handle } of folders.splice(1)) await handle.close();
        rest = [...components(target.slice(root.length)), ...rest];
      } else {
        rest = [...components(target), ...rest];
      }
      continue;
    }
    if (rest.length === 0) {
      if (path.endsWith("/")) throw notAFile(path, "a folder");
      return { folder, name, stats, shown: path };
    }
    if (stats === undefined) {
      if (!makeFolders) throw missing(path);
      if (rest.includes("..")) {
        // Nothing is under a folder that is not there: where the path leads is known before any
        // is made, and one that leads outside leaves nothing behind.
        rest = collapsed([name, ...rest]);
        continue;
      }
      await mkdir(child(folder, name)).catch(ignoring("EEXIST"));
    } else if (!stats.isDirectory()) {
      throw new WorkspaceError("missing", `there is no ${path}: ${name} is no folder`);
    }
    try {
      folders.push(await hold(child(folder, name), join(folder.path, name)));
    } catch (error) {
      // Something took the folder's place since it was looked at: look again.
      if (!["ELOOP", "ENOTDIR", "ENOENT"].includes(codeOf(error)) || ++links > MAX_LINKS) {
        throw error;
      }
      rest.unshift(name);
    }
  }
}

/** The names in a path; `.` and repeated slashes are nothing. */
function components(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** Each name that is followed by `..` goes with it; what leads above the first stays. */
function collapsed(names: readonly string[]): string[] {
  const left: string[] = [];
  for (const name of names) {
    if (name === ".." && left.length > 0 && left.at(-1) !== "..") left.pop();
    else left.push(name);
  }
  return left;
}

async function openRegular({ folder, name, stats, shown }: Place): Promise<FileHandle> {
  if (stats === undefined) throw missing(shown);
  // Devices and pipes are not even opened: that alone can do something or wait for ever.
  if (!stats.isFile()) throw notAFile(shown, kindOf(stats));
  const handle = await open(child(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  const opened = await handle.stat();
  if (opened.isFile()) return handle;
  await handle.close();
  throw notAFile(shown, kindOf(opened));
}

async function replace(place: Place, bytes: Uint8Array, temporary: string): Promise<void> {
  const { folder, name, stats, shown } = place;
  if (stats !== undefined && !stats.isFile()) throw notAFile(shown, kindOf(stats));
  const beside = child(folder, temporary);
  const mode = stats === undefined ? 0o666 : stats.mode & 0o7777;
  const handle = await open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    try {
      // The mode of `open` is cut by the umask; an existing file's mode is kept whole.
      if (stats !== undefined) await handle.chmod(mode);
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, child(folder, name));
  } catch (error) {
    await unlink(beside).catch(ignoring("ENOENT"));
    throw error;
  }
  await folder.handle.sync();
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  if (stats.isSymbolicLink()) return "a link";
  return "a device";
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

function ignoring(code: string): (error: unknown) => void {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}

function outside(path: string): WorkspaceError {
  return new WorkspaceError(
    "outside",
    `${path} is outside the workspace: give a path inside it, like src/a.txt`,
  );
}

function missing(path: string): WorkspaceError {
  return new WorkspaceError("missing", `there is no ${path} in the workspace`);
}

function notAFile(path: string, kind: string): WorkspaceError {
  return new WorkspaceError("not-a-file", `${path} is ${kind}, not a file`);
}

/** The system's refusals as sentences; bugs stay what they are. */
function explained(error: unknown, path: string): unknown {
  if (error instanceof SionError) return error;
  const sentences: Readonly<Record<string, string>> = {
    EACCES: "the system does not allow it",
    EPERM: "the system does not allow it",
    EROFS: "the file system is read-only",
    ENOSPC: "the disk is full",
    EDQUOT: "the disk quota is used up",
    ENAMETOOLONG: "a name in it is too long",
    EISDIR: "it is a folder",
    EINVAL: "the file system does not take that name",
    EBUSY: "it is in use",
    ELOOP: "it goes round in links",
    ENOENT: "it went away meanwhile",
    ENOTDIR: "a part of it is no folder",
  };
  const sentence = sentences[codeOf(error)];
  if (sentence === undefined) return error;
  return new WorkspaceError("denied", `cannot use ${path}: ${sentence}`, { cause: error });
}
