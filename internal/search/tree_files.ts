/**
 * The files below a folder, in order. Folders are held open while they are walked and their children
 * are opened through them (`/proc/self/fd`, where there is one) without following links, so that one
 * that is swapped for a link leads nowhere. Synchronous, since a
 * search opens thousands of small files: whoever walks gives way now and then.
 */
import { closeSync, constants, existsSync, openSync, readdirSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { canGoOn, isMatch, step } from "./path_glob.ts";
import type { GlobState, PathGlob } from "./path_glob.ts";
import { isBeside, isPassedOver } from "./passed_over.ts";
import { isSystemError } from "./system_error.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const DESCRIPTORS = "/proc/self/fd";
/** Folders below folders that are entered; each is an open file meanwhile. */
const MAX_DEPTH = 200;

/** A regular file of the tree. */
export interface TreeFile {
  /** Relative to the root. */
  readonly name: string;
  /** Under which it can be opened until the next file is taken. */
  readonly openAs: string;
}

/** What was found besides files. */
export interface TreeNotes {
  /** Folders that could not be read. */
  unread: number;
}

/** The files that a glob chooses; `undefined` comes with each folder, to give way at. */
export function* treeFiles(
  root: string,
  { start }: PathGlob,
  notes: TreeNotes,
): Generator<TreeFile | undefined> {
  const held = existsSync(DESCRIPTORS);
  yield* filesIn({ path: root, shown: "", state: start, depth: 0 });

  function* filesIn(
    folder: { path: string; shown: string; state: GlobState; depth: number },
  ): Generator<TreeFile | undefined> {
    const opened = openFolder(folder.path);
    if (opened === undefined || folder.depth > MAX_DEPTH) {
      notes.unread++;
      if (opened !== undefined) closeSync(opened);
      return;
    }
    try {
      yield undefined;
      const base = held ? `${DESCRIPTORS}/${opened}` : folder.path;
      for (const entry of entriesOf(base, notes)) {
        const { name } = entry;
        if (entry.isDirectory()) {
          const state = step(folder.state, name, isPassedOver(name));
          if (!canGoOn(state)) continue;
          const below = { state, depth: folder.depth + 1, shown: `${folder.shown}${name}/` };
          yield* filesIn({ path: join(base, name), ...below });
        } else if (entry.isFile() && !isBeside(name) && isMatch(step(folder.state, name))) {
          yield { name: folder.shown + name, openAs: `${base}/${name}` };
        }
      }
    } finally {
      closeSync(opened);
    }
  }
}

function openFolder(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}

/** A folder's entries by name. */
function entriesOf(path: string, notes: TreeNotes): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    notes.unread++;
    return [];
  }
}
