/** What a process and its folder use, as Linux tells it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Clock ticks a second in /proc: fixed for programs, whatever the kernel's own clock does. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MB = 1024;
const BYTES_PER_MB: number = 2 ** 20;

/** CPU time that a process took so far, all threads, ms. Exact to 10 ms. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in brackets may hold spaces; what follows it does not.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
  return (user + system) * 1000 / TICKS_PER_SECOND;
}

/** Bytes in MB of 2^20. */
export function megabytes(bytes: number): number {
  return bytes / BYTES_PER_MB;
}

/** Resident memory of a process, MB of 2^20 bytes. */
export function residentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kib === undefined) throw new Error(`process ${pid} has no resident memory`);
  return Number(kib) / KIB_PER_MB;
}

/** What the stores of a devnet's folder hold, bytes of pages in use, without the logs' slack. */
export type StoredBytes = {
  readonly all: number;
  /** The part that no pruning takes: headers, receipts, objects and what finds them. */
  readonly lasting: number;
};

/** Tables whose rows go some Pulses or rounds later, with their indexes. */
const PRUNED = /^(blocks|published|witnesses|certificates)($|_)|^sqlite_autoindex_blocks/;

/** What a devnet's stores hold now. */
export function storedBytes(folder: string): StoredBytes {
  const stores = readdirSync(folder)
    .filter((name) => name.startsWith("validator-"))
    .map((name) => bytesByTable(join(folder, name, "node.sqlite")));
  const sum = (counts: (table: string) => boolean): number =>
    stores.flatMap((tables) => [...tables]).reduce(
      (total, [table, bytes]) => total + (counts(table) ? bytes : 0),
      0,
    );
  return { all: sum(() => true), lasting: sum((table) => !PRUNED.test(table)) };
}

function bytesByTable(file: string): ReadonlyMap<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE").all();
    return new Map(rows.map((row) => [String(row["name"]), Number(row["pgsize"])]));
  } finally {
    database.close();
  }
}
