/**
 * What a power cut leaves of a SQLite file with a write-ahead log: the log's new bytes up to any
 * place, any sector of them missing, or a checkpoint's pages half copied. The file is opened then as
 * after a real crash, by SQLite's own recovery.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { toHex } from "#internal/core/mod.ts";
import { loadSqlite } from "#internal/runtime/mod.ts";
import { Random } from "../sim/random.ts";

/** Bytes that a disk writes at once or not at all. */
const SECTOR_BYTES = 512;

/** The bytes of a database and of its log. */
export interface Files {
  readonly main: Uint8Array;
  readonly log: Uint8Array;
}

/** What is on the disk now; nobody may write meanwhile. */
export function filesOf(path: string): Files {
  const log = `${path}-wal`;
  return {
    main: new Uint8Array(readFileSync(path)),
    log: existsSync(log) ? new Uint8Array(readFileSync(log)) : new Uint8Array(),
  };
}

/** Puts files where a store will be opened; the index of the log is never what a crash leaves. */
export function putFiles(path: string, { main, log }: Files): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(`${path}-shm`, { force: true });
  rmSync(`${path}-journal`, { force: true });
  writeFileSync(path, main);
  writeFileSync(`${path}-wal`, log);
}

/** All that the tables hold, as text. Opening recovers the file. */
export function contentsOf(path: string): string {
  const database = new (loadSqlite().DatabaseSync)(path);
  try {
    database.exec("PRAGMA synchronous = OFF");
    const tables = database.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name",
    ).all();
    return JSON.stringify(tables.map(({ name, sql }) => [sql, rowsOf(database, String(name))]));
  } finally {
    database.close();
  }
}

function rowsOf(database: DatabaseSync, table: string): string[][] {
  const all = database.prepare(`SELECT * FROM "${table}"`);
  all.setReadBigInts(true);
  return all.all().map((row) =>
    Object.values(row).map((value) => value instanceof Uint8Array ? toHex(value) : String(value))
  );
}

/** Copies the log into the file, as SQLite does now and then; the log begins anew at the next write. */
export function checkpoint(path: string): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  try {
    database.exec("PRAGMA wal_checkpoint(RESTART)");
  } finally {
    database.close();
  }
}

/** The files as a full checkpoint leaves them, made at `scratch`. */
export function checkpointed(files: Files, scratch: string): Files {
  putFiles(scratch, files);
  const database = new (loadSqlite().DatabaseSync)(scratch);
  try {
    database.exec("PRAGMA wal_checkpoint(FULL)");
    return filesOf(scratch);
  } finally {
    database.close();
  }
}

/** One way in which a write can break off. */
export interface Cut {
  readonly what: string;
  readonly files: Files;
}

/**
 * Ways in which a write from `before` to `after` may break off, all of them before it was durable.
 * @param count of each sort, chosen by `seed`; the ends and the first header are always there.
 */
export function tornWrites(before: Files, after: Files, seed: string, count: number): Cut[] {
  const [first, end] = changed(before.log, after.log);
  if (first === end) return [];
  const random = new Random(1, seed);
  const places = new Set([first, first + 1, first + 23, first + 24, end - 1, end - SECTOR_BYTES]);
  while (places.size < count) places.add(random.int(first, end - 1));
  const cuts = [...places].filter((at) => at >= first && at < end).sort((a, b) => a - b);
  const prefixes = cuts.map((at): Cut => ({
    what: `the log up to byte ${at} of ${end}`,
    files: { main: before.main, log: spliced(before.log, after.log, first, at) },
  }));
  const whole = after.log.slice(0, end);
  const written = changedSectors(before.log, whole);
  const sectors = Array.from({ length: count }, (): Cut => {
    const at = random.pick(written);
    const log = whole.slice();
    for (let i = at; i < Math.min(at + SECTOR_BYTES, end); i++) log[i] = before.log[i] ?? 0;
    return { what: `the log without the sector at ${at}`, files: { main: before.main, log } };
  });
  return [...prefixes, ...sectors];
}

/** Where sectors begin whose bytes are others now; most of a large page may be as empty as before. */
function changedSectors(before: Uint8Array, after: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = 0; at < after.length; at += SECTOR_BYTES) {
    const sector = after.subarray(at, at + SECTOR_BYTES);
    if (sector.some((byte, i) => byte !== (before[at + i] ?? 0))) starts.push(at);
  }
  return starts;
}

/** Ways in which a checkpoint of a durable log may break off: some of its pages are in the file. */
export function tornCheckpoints(durable: Files, done: Files, seed: string, count: number): Cut[] {
  const random = new Random(2, seed);
  const most = Math.max(durable.main.length, done.main.length);
  return Array.from({ length: count }, () => {
    const at = random.int(0, most);
    return {
      what: `a checkpoint up to byte ${at} of ${most}`,
      files: { main: spliced(durable.main, done.main, 0, at), log: durable.log },
    };
  });
}

/** The first byte that differs, and the one behind the last. */
function changed(before: Uint8Array, after: Uint8Array): readonly [number, number] {
  let first = 0;
  while (first < after.length && before[first] === after[first]) first++;
  let end = after.length;
  while (end > first && before[end - 1] === after[end - 1]) end--;
  return [first, end];
}

function spliced(
  before: Uint8Array,
  after: Uint8Array,
  first: number,
  at: number,
): Uint8Array {
  const out = new Uint8Array(Math.max(before.length, at));
  out.set(before);
  out.set(after.subarray(first, at), first);
  return out;
}
