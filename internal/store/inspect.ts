/**
 * Looking at a home's stores without changing them: not opened as their owners do, which would make,
 * upgrade or empty files.
 */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "#internal/core/mod.ts";
import { codeOf, loadSqlite } from "#internal/runtime/mod.ts";
import { transaction } from "./database.ts";
import { isAlive } from "./process_mark.ts";

/** Folders below a home in which stores lie. */
const DEPTH = 4;
/** Larger files take longer to be read through than anybody waits. */
const MOST_CHECKED_BYTES = 200 << 20;

/** A store that was looked at. */
export interface InspectedStore {
  readonly path: string;
  /** What is wrong with it; missing when it is whole. */
  readonly problem?: string;
  /** It is too large to be read through here: it opens, that is all. */
  readonly openedOnly?: true;
}

/** A lease that nobody renews any more. */
export interface LeftLease {
  readonly session: string;
  readonly pid: number;
}

/** Every SQLite file of a home, read through. */
export function inspectStores(home: string): readonly InspectedStore[] {
  return storesIn(home, DEPTH).map(inspectStore);
}

/**
 * How many signed transactions have no receipt yet although nobody took care of them lately.
 * @param beforeMs last taken care of before then
 */
export function countPending(home: string, beforeMs: number): number {
  return looking(join(home, "client.db"), 0, (database) => {
    const row = database.prepare(
      "SELECT count(DISTINCT unit) AS n FROM pending WHERE touched_ms < ?",
    ).get(beforeMs);
    return Number(row?.["n"] ?? 0);
  });
}

/** Leases of sessions whose processes are gone. */
export function leftLeases(home: string): readonly LeftLease[] {
  return looking(sessionsOf(home), [], gone);
}

/** Removes those leases; one that a process took over meanwhile stays. @returns how many */
export function removeLeftLeases(home: string): number {
  const path = sessionsOf(home);
  const database = new (loadSqlite().DatabaseSync)(path, { timeout: 5_000 });
  try {
    return transaction(database, () => {
      const left = gone(database);
      const remove = database.prepare("DELETE FROM leases WHERE session = ? AND pid = ?");
      for (const { session, pid } of left) remove.run(session, pid);
      return left.length;
    });
  } finally {
    database.close();
  }
}

/** When a session was last written to, ms; 0 when there is none. */
export function newestSessionMs(home: string): number {
  return looking(sessionsOf(home), 0, (database) => {
    const row = database.prepare("SELECT max(last_ms) AS newest FROM sessions").get();
    return Number(row?.["newest"] ?? 0);
  });
}

function sessionsOf(home: string): string {
  return join(home, "agents", "sessions.db");
}

function gone(database: DatabaseSync): LeftLease[] {
  return database.prepare("SELECT session, pid, started FROM leases ORDER BY session").all()
    .map((row) => ({
      session: String(row["session"]),
      pid: Number(row["pid"]),
      started: String(row["started"]),
    }))
    .filter((lease) => !isAlive(lease))
    .map(({ session, pid }) => ({ session, pid }));
}

function storesIn(folder: string, depth: number): string[] {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not there, or not to be read: another check says so.
    return [];
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return depth > 1 ? storesIn(path, depth - 1) : [];
    return entry.isFile() && entry.name.endsWith(".db") ? [path] : [];
  });
}

function inspectStore(path: string): InspectedStore {
  try {
    const large = lstatSync(path).size > MOST_CHECKED_BYTES;
    const found = looking(path, "ok", (database) => {
      const row = large
        ? database.prepare("PRAGMA schema_version").get() && { quick_check: "ok" }
        : database.prepare("PRAGMA quick_check(1)").get();
      return String(row?.["quick_check"] ?? "ok");
    });
    if (found !== "ok") return { path, problem: found };
    return large ? { path, openedOnly: true } : { path };
  } catch (error) {
    return { path, problem: messageOf(error) };
  }
}

/**
 * Reads a file. One that nobody has open is opened as if it could not change: otherwise SQLite leaves
 * files beside it.
 */
function looking<T>(path: string, none: T, body: (database: DatabaseSync) => T): T {
  let inUse: boolean;
  try {
    lstatSync(path);
    inUse = isThere(`${path}-wal`) || isThere(`${path}-journal`);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return none;
    throw error;
  }
  const { DatabaseSync: Database } = loadSqlite();
  const url = pathToFileURL(path);
  url.search = "?immutable=1";
  const database = new Database(inUse ? path : url, { readOnly: true, timeout: 1_000 });
  try {
    return body(database);
  } finally {
    database.close();
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
