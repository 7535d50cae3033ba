/**
 * Changing files: all of a set or none. Every new text is written to a file beside its own and
 * synced before any file changes; then each is renamed into place. What was there is kept under a
 * second name until all are, and is put back if one fails.
 *
 * The names beside are `.sion-<id>-<n>.tmp` and `.old`. A process that ends in between leaves some
 * files new and some old, each whole; {@link finishChanges} brings the rest in or {@link
 * discardChanges} takes the names beside away, by what the caller had kept of `onReady`.
 */
import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { link, open, rename, rmdir, unlink } from "node:fs/promises";
import { explained, ignoring, missing, notAFile, WorkspaceError } from "./errors.ts";
import type { HeldFolder, MadeFolder, Place } from "./walk.ts";
import { child, kindOf, statsOf, walk } from "./walk.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** A change of one file. */
export type Change =
  | {
    readonly kind: "write";
    readonly path: string;
    readonly bytes: Uint8Array;
    /** What it has to replace: the version that was read, or nothing. @default whatever is there */
    readonly was?: FileVersion | "nothing";
    /** Whether it may be run. @default as before; a new file may not */
    readonly executable?: boolean;
    /** A file of which the mode is taken over, for one that moves. */
    readonly modeOf?: number;
  }
  | { readonly kind: "remove"; readonly path: string; readonly was?: FileVersion };

/** Tells whether a file is still the one that was read. */
export type FileVersion = string & { readonly __id: "file-version" };

/** The version of a file as these stats show it. */
export function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): FileVersion {
  return [dev, ino, size, mtimeMs, ctimeMs].join(":") as FileVersion;
}

/** A change that is ready: its new text stands beside. */
interface Ready {
  readonly change: Change;
  readonly place: Place;
  /** The new text's name; missing for a removal. */
  readonly beside?: string;
  /** The old file's second name, where there is one. */
  kept?: string;
}

/** How a set is changed. */
export interface ChangeOptions {
  /** Names the files beside; unique among all sets, the same for one set whenever it is asked. */
  readonly id: string;
  /** Called when all is ready and no file has changed yet. */
  readonly onReady?: () => void;
}

/** Changes all of the files or none. @throws {WorkspaceError} */
export async function changeFiles(
  root: string,
  changes: readonly Change[],
  { id, onReady }: ChangeOptions,
): Promise<void> {
  const held: HeldFolder[] = [];
  const made: MadeFolder[] = [];
  const ready: Ready[] = [];
  let at = "";
  try {
    const places: Place[] = [];
    for (const change of changes) {
      at = change.path;
      places.push(await placeOf(root, change, held, made));
    }
    for (const [index, change] of changes.entries()) {
      const place = places[index];
      at = change.path;
      if (place !== undefined) ready.push(await prepare(change, place, nameBeside(id, index)));
    }
    // One file changes in one step, of which there is nothing to undo.
    const several = changes.length > 1;
    if (several) {
      for (const [index, each] of ready.entries()) {
        await keep(each, nameKept(nameBeside(id, index)));
      }
    }
    for (const { change, place } of ready) await checkStill(change, place, several);
    onReady?.();
    await bringIn(ready);
  } catch (error) {
    await takeAway(ready);
    for (const { parent, name } of made.toReversed()) {
      await rmdir(child(parent, name)).catch(() => {});
    }
    throw explained(error, at);
  } finally {
    for (const { handle } of held) await handle.close();
  }
}

/** Brings in the rest of a set that was ready when its process ended. @throws {WorkspaceError} */
export async function finishChanges(
  root: string,
  paths: readonly { readonly path: string; readonly kind: Change["kind"] }[],
  id: string,
): Promise<void> {
  await atEach(root, paths.map(({ path }) => path), async (place, index) => {
    const name = nameBeside(id, index);
    if (paths[index]?.kind === "remove") {
      await unlink(child(place.folder, place.name)).catch(ignoring("ENOENT"));
    } else {
      await rename(child(place.folder, name), child(place.folder, place.name))
        .catch(ignoring("ENOENT"));
    }
    await unlink(child(place.folder, nameKept(name))).catch(ignoring("ENOENT"));
    await place.folder.handle.sync();
  });
}

/** Takes away what stands beside of a set that was not ready when its process ended. */
export async function discardChanges(
  root: string,
  paths: readonly string[],
  id: string,
): Promise<void> {
  await atEach(root, paths, async (place, index) => {
    const name = nameBeside(id, index);
    await unlink(child(place.folder, name)).catch(ignoring("ENOENT"));
    await unlink(child(place.folder, nameKept(name))).catch(ignoring("ENOENT"));
  });
}

async function atEach(
  root: string,
  paths: readonly string[],
  act: (place: Place, index: number) => Promise<void>,
): Promise<void> {
  for (const [index, path] of paths.entries()) {
    const held: HeldFolder[] = [];
    try {
      await act(await walk(root, path, held), index);
    } catch (error) {
      // A folder that was never made holds nothing.
      if (!(error instanceof WorkspaceError && error.code === "missing")) {
        throw explained(error, path);
      }
    } finally {
      for (const { handle } of held) await handle.close();
    }
  }
}

function nameBeside(id: string, index: number): string {
  return `.sion-${id}-${index}.tmp`;
}

function nameKept(beside: string): string {
  return beside.replace(/tmp$/, "old");
}

/** Walks to a change's file and checks what is there. Folders on the way to a new one are made. */
async function placeOf(
  root: string,
  change: Change,
  held: HeldFolder[],
  made: MadeFolder[],
): Promise<Place> {
  const way: HeldFolder[] = [];
  let place: Place | undefined;
  try {
    place = await walk(root, change.path, way, change.kind === "remove" ? undefined : made);
    check(change, place);
    return place;
  } finally {
    // Only what is needed on stays open: a patch has many files.
    const needed = new Set([place?.folder, ...made.map(({ parent }) => parent)]);
    for (const folder of way) {
      if (needed.has(folder)) held.push(folder);
      else await folder.handle.close();
    }
  }
}

/** Whether what is there is what the change is about. */
function check(change: Change, { stats, shown }: Place): void {
  if (stats !== undefined && !stats.isFile()) throw notAFile(shown, kindOf(stats));
  if (change.kind === "remove" && stats === undefined) throw missing(shown);
  if (change.was === undefined) return;
  if (change.was === "nothing") {
    if (stats === undefined) return;
    throw new WorkspaceError(
      "exists",
      `${shown} is there already: change it, or give another name`,
    );
  }
  if (stats === undefined || versionOf(stats) !== change.was) {
    throw new WorkspaceError(
      "changed",
      `${shown} was changed by something else meanwhile: read it again, then change it`,
    );
  }
}

/** Looks again, right before the files change. */
async function checkStill(change: Change, place: Place, kept: boolean): Promise<void> {
  const stats = await statsOf(child(place.folder, place.name));
  // A second name changes one of the file's times.
  const same = (["ino", "size", "mtimeMs"] as const).every((key) =>
    stats?.[key] === place.stats?.[key]
  );
  if (kept && same) return;
  check(change, { ...place, stats });
}

/** Writes the new text beside the file, with the mode and the owner that it is to have. */
async function prepare(change: Change, place: Place, beside: string): Promise<Ready> {
  if (change.kind === "remove") return { change, place };
  const { folder, stats } = place;
  const old = change.modeOf ?? stats?.mode;
  const mode = modeOf(old, change.executable);
  const path = child(folder, beside);
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    try {
      const { uid, gid } = stats ?? await folder.handle.stat();
      if ((await handle.stat()).uid !== uid) {
        await handle.chown(uid, gid).catch(ignoring("EPERM", "ENOSYS"));
      }
      // The mode of `open` is cut by the umask; an existing file's mode is kept whole.
      if (old !== undefined) await handle.chmod(mode);
      await handle.writeFile(change.bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await unlink(path).catch(ignoring("ENOENT"));
    throw error;
  }
  return { change, place, beside };
}

/** Permissions of the new file: those of the old one, with the right to run it given or taken. */
function modeOf(old: number | undefined, executable: boolean | undefined): number {
  const mode = old === undefined ? 0o666 : old & 0o7777;
  if (executable === undefined) return mode;
  // Whoever may read it may run it.
  return executable ? mode | (mode & 0o444) >> 2 : mode & ~0o111;
}

/** Gives the old file a second name. Where the file system has none, a failure is not undone. */
async function keep(ready: Ready, name: string): Promise<void> {
  const { folder, name: own, stats } = ready.place;
  if (stats === undefined) return;
  try {
    await link(child(folder, own), child(folder, name));
    ready.kept = name;
  } catch (error) {
    ignoring("EPERM", "ENOTSUP", "EMLINK", "ENOSYS", "ENOENT")(error);
  }
}

/** Renames every new text into place and removes what goes; on a failure puts back what was there. */
async function bringIn(ready: readonly Ready[]): Promise<void> {
  const done: Ready[] = [];
  try {
    for (const each of ready) {
      const { place: { folder, name, shown }, beside } = each;
      try {
        if (beside === undefined) await unlink(child(folder, name));
        else await rename(child(folder, beside), child(folder, name));
      } catch (error) {
        throw explained(error, shown);
      }
      done.push(each);
    }
  } catch (error) {
    for (const { place: { folder, name, stats }, kept, beside } of done.toReversed()) {
      if (kept !== undefined) await rename(child(folder, kept), child(folder, name));
      else if (beside !== undefined && stats === undefined) await unlink(child(folder, name));
    }
    throw error;
  }
  for (const { place: { folder }, kept } of ready) {
    if (kept !== undefined) await unlink(child(folder, kept));
  }
  for (const folder of new Set(ready.map(({ place }) => place.folder))) await folder.handle.sync();
}

async function takeAway(ready: readonly Ready[]): Promise<void> {
  for (const { place: { folder }, beside, kept } of ready) {
    for (const name of [beside, kept]) {
      if (name !== undefined) await unlink(child(folder, name)).catch(() => {});
    }
  }
}
