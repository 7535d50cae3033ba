/**
 * SQLite files, the same in Deno and Node: write-ahead log, durable commits, a schema made in one
 * transaction, and a refusal of files that a newer sion wrote.
 */
import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { messageOf, SionError, VERSION } from "#internal/core/mod.ts";
import { codeOf, ensureFolderSync, loadSqlite, located } from "#internal/runtime/mod.ts";

/** How long one statement waits for another process's write, ms. */
const BUSY_TIMEOUT_MS = 5_000;

/** A page of a file whose values are small. */
const PAGE_BYTES = 4_096;

/** How long a file that is closed waits for readers to let its log be emptied, ms. */
const CLOSE_TIMEOUT_MS = 200;

/** `newer-data`: the file's schema is of a newer sion. Data: `path`, `writtenBy`. */
export type DatabaseErrorCode = "newer-data";

/** What a file holds. A change of `schema` needs a higher `version` and a step in `upgrade`. */
export interface DatabaseOptions {
  /** SQL that makes the tables of a fresh file. Run in one transaction. */
  readonly schema: string;
  /** Version of the schema, from 1. */
  readonly version: number;
  /** SQL that brings a file of version n (from 1) to n + 1, at index n − 1. @default none */
  readonly upgrade?: readonly string[];
  /**
   * Bytes of a page of a fresh file, a power of two: large values take fewer writes in large ones.
   * @default 4,096
   */
  readonly pageBytes?: number;
  /** What the errors name: the folder a person gave. @default the file's folder */
  readonly shown?: string;
  /** The option that takes another such folder. @default --home */
  readonly elsewhere?: "--dir" | "--home";
}

/**
 * Opens or makes a SQLite file (0600, its folder 0700). The caller is the connection's one owner and
 * closes it. Commits are durable when they return (WAL, synchronous FULL).
 * @throws {SionError} `newer-data` when a newer sion wrote the file; nothing is changed then. Faults
 * of the file and the disk name the path, as `storeFault` reads them.
 */
export function openDatabase(path: string, options: DatabaseOptions): DatabaseSync {
  createPrivately(path);
  let database: DatabaseSync | undefined;
  try {
    database = new (loadSqlite()).DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    database.exec(
      `PRAGMA page_size = ${options.pageBytes ?? PAGE_BYTES}; PRAGMA journal_mode = WAL`,
    );
    prepareSchema(database, path, options);
    database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  } catch (error) {
    database?.close();
    throw located(error, path);
  }
  return database;
}

/**
 * Closes a connection, once. The log is emptied into the file first, so that the file alone can be
 * copied; whoever still reads it hinders that only for as long as its own reading takes.
 */
export function closeDatabase(database: DatabaseSync): void {
  if (!database.isOpen) return;
  try {
    database.exec(
      `PRAGMA busy_timeout = ${CLOSE_TIMEOUT_MS}; PRAGMA wal_checkpoint(TRUNCATE)`,
    );
  } finally {
    database.close();
  }
}

/**
 * Runs `body` in one write transaction: all of it is durable when this returns, or none of it.
 * `body` is synchronous, so that nothing else on the connection comes in between.
 */
export function transaction<T>(database: DatabaseSync, body: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = body();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/**
 * The same without waiting for the disk: what it wrote outlives this process when this returns, and a
 * cut of power from the next `transaction` on, whose commit waits for all of the write-ahead log before it.
 */
export function transactionLater<T>(database: DatabaseSync, body: () => T): T {
  database.exec("PRAGMA synchronous = NORMAL");
  try {
    return transaction(database, body);
  } finally {
    database.exec("PRAGMA synchronous = FULL");
  }
}

/** Ends a transaction that failed; SQLite has ended it itself where the disk is full. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch (error) {
    if (!/no transaction is active/.test(messageOf(error))) throw error;
  }
}

/**
 * An empty file is an empty database, and SQLite gives its side files the same mode. An existing
 * file is never opened here: closing it would drop the locks that SQLite holds on it.
 */
function createPrivately(path: string): void {
  ensureFolderSync(dirname(path));
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function prepareSchema(database: DatabaseSync, path: string, options: DatabaseOptions): void {
  const found = schemaVersion(database);
  if (found === options.version) return;
  if (found > options.version) throw newerData(database, path, options);
  // Without waiting for the disk: a file that is lost now is made anew at the next start.
  if (found === 0) database.exec("PRAGMA synchronous = OFF");
  transaction(database, () => {
    // Another process may have made the schema between the look above and this lock.
    let version = schemaVersion(database);
    if (version > options.version) throw newerData(database, path, options);
    if (version === 0) {
      database.exec("CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
      database.exec(options.schema);
      version = options.version;
    }
    for (; version < options.version; version++) {
      database.exec(options.upgrade?.[version - 1] ?? "");
    }
    database.prepare("INSERT OR REPLACE INTO about VALUES ('sion', ?)").run(VERSION);
    database.exec(`PRAGMA user_version = ${options.version}`);
  });
}

function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

function newerData(
  database: DatabaseSync,
  path: string,
  options: DatabaseOptions,
): SionError<DatabaseErrorCode> {
  const row = database.prepare("SELECT value FROM about WHERE key = 'sion'").get();
  const writtenBy = String(row?.["value"] ?? "of a newer version");
  const shown = options.shown ?? dirname(path);
  return new SionError(
    "newer-data",
    `${shown} was written by sion ${writtenBy}, this is ${VERSION}: ` +
      `update sion, or give another ${options.elsewhere ?? "--home"}`,
    { data: { path, writtenBy } },
  );
}
