/**
 * The folder an agent's file tools work in. Nothing outside it can be named (`workspace/walk.ts`), and
 * files change whole or not at all (`workspace/change.ts`).
 */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join, relative } from "node:path";
import { changeFiles, discardChanges, finishChanges, versionOf } from "./workspace/change.ts";
import type { Change, ChangeOptions, FileVersion } from "./workspace/change.ts";
import { explained, missing, notAFile, WorkspaceError } from "./workspace/errors.ts";
import type { HeldFolder, Place } from "./workspace/walk.ts";
import { child, kindOf, walk } from "./workspace/walk.ts";

export type { Change, FileVersion } from "./workspace/change.ts";
export { WorkspaceError } from "./workspace/errors.ts";

/** A regular file that is open for reading. */
export interface OpenedFile {
  /** The caller closes it. */
  readonly handle: FileHandle;
  /** Where it really is, links followed; relative to the workspace. */
  readonly name: string;
}

/** A file that was read whole. */
export interface WholeFile {
  /** Where it really is, links followed; relative to the workspace. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly version: FileVersion;
  /** Its permissions. */
  readonly mode: number;
}

/** A workspace. Paths are relative to it. */
export interface Workspace {
  /** Where it is, without links. */
  readonly root: string;
  /** URL of the program file that searches' threads run. @default the source's own */
  readonly workerEntry?: string;
  /** Opens a regular file for reading. @throws {WorkspaceError} */
  openFile(path: string): Promise<OpenedFile>;
  /** Reads a file. @throws {WorkspaceError} also when it has more bytes than that: `too-large` */
  readWhole(path: string, mostBytes: number): Promise<WholeFile>;
  /**
   * Changes all of the files or none. Folders on the way to a new file are made; an existing file
   * keeps its mode. @throws {WorkspaceError}
   */
  change(changes: readonly Change[], options: ChangeOptions): Promise<void>;
  /** Brings in the rest of a set of changes that was ready when its process ended. */
  finish(changes: readonly Pick<Change, "kind" | "path">[], id: string): Promise<void>;
  /** Takes away what a set of changes that never was ready left beside its files. */
  discard(paths: readonly string[], id: string): Promise<void>;
}

const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Opens a folder as a workspace. It must exist. */
export async function openWorkspace(
  folder: string,
  options: Pick<Workspace, "workerEntry"> = {},
): Promise<Workspace> {
  const root = await realpath(folder);
  const openFile = (path: string): Promise<OpenedFile> => openRegular(root, path);
  return {
    ...options,
    root,
    openFile,
    readWhole: (path, mostBytes) => readWhole(openFile, path, mostBytes),
    change: (changes, options) => changeFiles(root, changes, options),
    finish: (changes, id) => finishChanges(root, changes, id),
    discard: (paths, id) => discardChanges(root, paths, id),
  };
}

async function openRegular(root: string, path: string): Promise<OpenedFile> {
  const held: HeldFolder[] = [];
  try {
    const place = await walk(root, path, held);
    return {
      handle: await openAt(place),
      name: relative(root, join(place.folder.path, place.name)),
    };
  } catch (error) {
    throw explained(error, path);
  } finally {
    for (const { handle } of held) await handle.close();
  }
}

async function openAt({ folder, name, stats, shown }: Place): Promise<FileHandle> {
  if (stats === undefined) throw missing(shown);
  // Devices and pipes are not even opened: that alone can do something or wait for ever.
  if (!stats.isFile()) throw notAFile(shown, kindOf(stats));
  const handle = await open(child(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  const opened = await handle.stat();
  if (opened.isFile()) return handle;
  await handle.close();
  throw notAFile(shown, kindOf(opened));
}

async function readWhole(
  openFile: Workspace["openFile"],
  path: string,
  mostBytes: number,
): Promise<WholeFile> {
  const { handle, name } = await openFile(path);
  try {
    const stats = await handle.stat();
    const bytes = stats.size > mostBytes ? undefined : await handle.readFile();
    if (bytes === undefined || bytes.length > mostBytes) {
      const size = bytes?.length ?? stats.size;
      throw new WorkspaceError(
        "too-large",
        `${path} has ${size} bytes, more than the ${mostBytes} that are read at once: ` +
          "use a command for it",
      );
    }
    return { name, bytes, version: versionOf(stats), mode: stats.mode };
  } finally {
    await handle.close();
  }
}
