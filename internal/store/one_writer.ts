/** Files that are read, changed and written whole: by one process at a time. */
import { join } from "node:path";
import { SionError } from "#internal/core/mod.ts";
import { ensureFolder, lockFolderSoon } from "#internal/runtime/mod.ts";

/** How long another process's change is waited for, ms. */
const WAIT_MS = 30_000;

/**
 * Runs `body` while no other process or call changes the same thing.
 * @param what its name under `$SION_HOME/locks`
 * @throws {SionError} `folder-locked` when another one does not end.
 */
export async function asOnlyWriter<T>(
  home: string,
  what: string,
  body: () => Promise<T>,
): Promise<T> {
  const folder = join(home, "locks", what);
  await ensureFolder(folder);
  await using _lock = await held(folder, what);
  return await body();
}

async function held(folder: string, what: string): Promise<AsyncDisposable> {
  try {
    return await lockFolderSoon(folder, { waitMs: WAIT_MS });
  } catch (error) {
    if (!(error instanceof SionError && error.code === "folder-locked")) throw error;
    const { pid } = error.data;
    const who = typeof pid === "number" ? `process ${pid}` : "another process";
    throw new SionError("folder-locked", `${who} keeps changing the ${what}: stop it, or wait`, {
      cause: error,
    });
  }
}
