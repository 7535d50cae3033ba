/**
 * Walking a path: component by component from a held folder, each opened without following links, so
 * that nothing outside can be named: not by `..`, an absolute path, a link, or a folder that is
 * swapped for a link meanwhile. A link that stays inside is followed. On Linux children are opened
 * through `/proc/self/fd`, which is what `openat` does; where that is missing, paths are used and a
 * swap at the right moment is not excluded.
 */
import { constants, existsSync } from "node:fs";
import type { Stats } from "node:fs";
import { lchown, lstat, mkdir, open, readlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, ignoring, missing, notAFile, outside, WorkspaceError } from "./errors.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** Links followed in one path, as Linux's own limit. */
const MAX_LINKS = 40;
const DESCRIPTORS = "/proc/self/fd";
/** What a command in the sandbox calls the workspace; a model goes on to call it so. */
const SHELL_NAME = "/workspace";

/** A folder that is held open, so that nothing can take its place. */
export interface HeldFolder {
  readonly handle: FileHandle;
  /** Where it was found, without links. */
  readonly path: string;
}

/** A name in a held folder, with what stands there. */
export interface Place {
  readonly folder: HeldFolder;
  readonly name: string;
  readonly stats: Stats | undefined;
  /** The path as the model gave it. */
  readonly shown: string;
}

/** A folder that was made on the way, and the one that it stands in. */
export interface MadeFolder {
  readonly parent: HeldFolder;
  readonly name: string;
}

/** The path under which something in a held folder can be reached without walking to it again. */
export function child(folder: HeldFolder, name: string): string {
  return join(existsSync(DESCRIPTORS) ? `${DESCRIPTORS}/${folder.handle.fd}` : folder.path, name);
}

/** Opens a folder, unless it is a link. @param realPath where it is, without links */
async function hold(path: string, realPath: string): Promise<HeldFolder> {
  return { handle: await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path: realPath };
}

/**
 * Walks to a path.
 * @param held gets every folder that was opened; the caller closes them
 * @param made gets the folders that were made on the way; none are when it is missing
 * @throws {WorkspaceError}
 */
export async function walk(
  root: string,
  path: string,
  held: HeldFolder[],
  made?: MadeFolder[],
): Promise<Place> {
  const base = await hold(root, root);
  held.push(base);
  const way = [base];
  let rest = components(relativeTo(root, path));
  for (let links = 0;;) {
    const folder = way.at(-1);
    const name = rest.shift();
    if (name === undefined || folder === undefined) throw notAFile(path, "a folder");
    if (name === "..") {
      // The root's parent is outside; a parent on the way is the one that was walked through.
      if (way.length === 1) throw outside(path);
      way.pop();
      continue;
    }
    const stats = await statsOf(child(folder, name));
    if (stats?.isSymbolicLink() === true) {
      if (++links > MAX_LINKS) throw new WorkspaceError("path", `${path} goes round in links`);
      const target = await readlink(child(folder, name));
      if (target.startsWith("/")) {
        if (target !== root && !target.startsWith(`${root}/`)) throw outside(path);
        way.splice(1);
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
      if (made === undefined) throw missing(path);
      if (rest.includes("..")) {
        // Nothing is under a folder that is not there: where the path leads is known before any
        // is made, and one that leads outside leaves nothing behind.
        rest = collapsed([name, ...rest]);
        continue;
      }
      if (await makeFolder(folder, name)) made.push({ parent: folder, name });
    } else if (!stats.isDirectory()) {
      throw new WorkspaceError("missing", `there is no ${path}: ${name} is no folder`);
    }
    try {
      const next = await hold(child(folder, name), join(folder.path, name));
      held.push(next);
      way.push(next);
    } catch (error) {
      // Something took the folder's place since it was looked at: look again.
      if (!["ELOOP", "ENOTDIR", "ENOENT"].includes(codeOf(error)) || ++links > MAX_LINKS) {
        throw error;
      }
      rest.unshift(name);
    }
  }
}

/** Makes a folder that belongs to whom the one above it belongs. False when it is there already. */
async function makeFolder(parent: HeldFolder, name: string): Promise<boolean> {
  try {
    await mkdir(child(parent, name));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  }
  const { uid, gid } = await parent.handle.stat();
  const stats = await statsOf(child(parent, name));
  if (stats !== undefined && stats.uid !== uid) {
    await lchown(child(parent, name), uid, gid).catch(ignoring("EPERM", "ENOSYS", "ENOENT"));
  }
  return true;
}

/** The workspace's own absolute path, as it is here and as commands see it, is the workspace. */
function relativeTo(root: string, path: string): string {
  if (path === "" || path.includes("\0")) {
    throw new WorkspaceError("path", "that is no path: give one like src/a.txt");
  }
  if (!path.startsWith("/")) return path;
  const base = [root, SHELL_NAME].find((name) => path === name || path.startsWith(`${name}/`));
  if (base === undefined) throw outside(path);
  return path.slice(base.length);
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

/** What stands there, links not followed; `undefined` when nothing does. */
export async function statsOf(path: string): Promise<Stats | undefined> {
  return await lstat(path).catch(ignoring("ENOENT"));
}

/** What is there instead of a file, with its article. */
export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  if (stats.isSymbolicLink()) return "a link";
  return "a device";
}
