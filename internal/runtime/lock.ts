/**
 * One process at a time holds a folder. The lock is the operating system's, on a file that SQLite
 * opens, so it goes with its process, whatever ends that; process ids are only told, never trusted.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import { messageOf, SionError } from "#internal/core/mod.ts";
import { located } from "./files.ts";
import { loadSqlite } from "./sqlite.ts";
import { sleep } from "./time.ts";

/** How often a folder that is waited for is tried again, ms. */
const RETRY_MS = 20;

/** `folder-locked`: another process holds the folder; `data.pid` is its id, where it is known. */
export type LockErrorCode = "folder-locked";

/** A folder held by this process. */
export interface FolderLock extends AsyncDisposable {
  readonly path: string;
}

/**
 * Holds a folder, which must exist, until disposed.
 * @param shownAs the path as the message shows it. @default path
 * @throws {SionError} `folder-locked` when another process, or this one, holds it.
 */
export async function lockFolder(path: string, shownAs: string = path): Promise<FolderLock> {
  const file = join(path, "lock");
  let database: DatabaseSync | undefined;
  try {
    database = new (loadSqlite().DatabaseSync)(file, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (!/locked/.test(messageOf(error))) throw located(error, file);
    throw await lockedError(path, shownAs);
  }
  const held = database;
  const pid = join(path, "lock.pid");
  try {
    await writeFile(pid, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    held.close();
    throw located(error, pid);
  }
  return {
    path,
    [Symbol.asyncDispose]: () => release(held),
  };
}

/**
 * As `lockFolder`, once its holder lets go.
 * @param waitMs about how long to wait for that, ms
 * @throws {SionError} `folder-locked` when it is held for longer; the signal's reason when it aborts.
 */
export async function lockFolderSoon(
  path: string,
  { waitMs, signal, shownAs = path }: {
    readonly waitMs: number;
    readonly signal?: AbortSignal;
    readonly shownAs?: string;
  },
): Promise<FolderLock> {
  for (let waited = 0;; waited += RETRY_MS) {
    try {
      return await lockFolder(path, shownAs);
    } catch (error) {
      const isHeld = error instanceof SionError && error.code === "folder-locked";
      if (!isHeld || waited >= waitMs) throw error;
    }
    await sleep(RETRY_MS, signal);
  }
}

function release(database: DatabaseSync): Promise<void> {
  if (database.isOpen) database.close();
  return Promise.resolve();
}

async function lockedError(path: string, shownAs: string): Promise<SionError<LockErrorCode>> {
  const told = await readFile(join(path, "lock.pid"), "utf8").catch(() => "");
  const pid = /^\d+$/.test(told.trim()) ? Number(told) : undefined;
  const holder = pid === undefined ? "another process" : `process ${pid}`;
  return new SionError<LockErrorCode>(
    "folder-locked",
    `${shownAs} is in use by ${holder}: stop it, or give another --dir`,
    { data: { path, ...(pid === undefined ? {} : { pid }) } },
  );
}
