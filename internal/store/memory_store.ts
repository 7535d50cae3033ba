/**
 * Memory logs on this machine: `$SION_HOME/memory/<id>.db` has a log's atoms and the perfect subtrees
 * over them, so that appending, proving and recalling read of the order of the logarithm. A log is
 * moved to another machine with its file.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decode, encode, isHex64, SionError } from "#internal/core/mod.ts";
import type { MemoryPeaks, MemorySource, SizedNode } from "#internal/memory/mod.ts";
import { appendLeaf, MAX_LOG_ATOMS, memoryLeaf, memoryNodeCodec } from "#internal/memory/mod.ts";
import { located } from "#internal/runtime/mod.ts";
import { closeDatabase, openDatabase, transaction } from "./database.ts";
import { storeFault } from "./faults.ts";

/** `memory-damaged`: the file lacks an atom or a node that it has to have. Data: `path`. */
export type MemoryStoreErrorCode = "memory-damaged";

/** Whose log it is, as the ledger said when it was opened here. */
export interface LogOwner {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** The account that moves its head. */
  readonly account: string;
  /** The wallet of this machine that has that account. */
  readonly wallet: string;
}

/** What of a log is known to be on the ledger. */
export interface LogCommitted {
  readonly size: number;
  readonly sealed: boolean;
}

/** One log's file, shared by processes. */
export interface MemoryStore extends MemorySource, Disposable {
  /** Whose it is; undefined until `own`. */
  owner(): LogOwner | undefined;
  /** What was last seen on the ledger. */
  committed(): LogCommitted;
  /**
   * Appends atoms' bytes, all or none; durable when it returns.
   * @param outside where content from outside came from that they may repeat; kept in this file alone.
   * @returns the place of the first, from 0.
   * @throws {SionError} `codec` unless they are atoms.
   * @throws {RangeError} when the log would be too long.
   */
  append(atoms: readonly Uint8Array[], outside?: string): number;
  /** Where what these atoms may repeat came from, each once; nothing of those that came from nowhere. */
  outsideOf(places: readonly number[]): string[];
  /** Keeps whose log it is. */
  own(owner: LogOwner): void;
  /** Keeps how far the ledger is; a shorter log than the one noted changes nothing. */
  noteCommitted(committed: LogCommitted): void;
}

/** The logs of a home. Nothing is read or made before a method is called. */
export interface MemoryStores {
  /** Ids of the logs with a file, sorted. */
  list(): string[];
  /** Opens a log's file, or makes it. The caller closes it. @throws {SionError} `newer-data` */
  open(log: string): MemoryStore;
  /** As `open`, but undefined where there is no file. */
  find(log: string): MemoryStore | undefined;
}

const OUTSIDE = "CREATE TABLE outside (seq INTEGER PRIMARY KEY, source TEXT NOT NULL);";

const SCHEMA = `
CREATE TABLE atoms (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE nodes (
  level INTEGER NOT NULL, place INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (level, place)
) WITHOUT ROWID;
CREATE TABLE owner (
  one INTEGER PRIMARY KEY CHECK (one = 1), chain TEXT NOT NULL, account TEXT NOT NULL,
  wallet TEXT NOT NULL
);
CREATE TABLE committed (
  one INTEGER PRIMARY KEY CHECK (one = 1), size INTEGER NOT NULL, sealed INTEGER NOT NULL
);
${OUTSIDE}
`;

/**
 * The memory logs of a home folder.
 * @param shown how a path is written in errors (`~` for the person's home). @default as it is
 */
export function openMemoryStores(
  home: string,
  shown: (path: string) => string = (path) => path,
): MemoryStores {
  const folder = join(home, "memory");
  const pathOf = (log: string): string => {
    if (!isHex64(log)) throw new RangeError(`Cannot open memory log: ${log} is no id`);
    return join(folder, `${log}.db`);
  };
  const open = (log: string): MemoryStore => {
    const path = pathOf(log);
    const options = { schema: SCHEMA, version: 2, upgrade: [OUTSIDE], shown: shown(folder) };
    return new FileStore(openDatabase(path, options), path, shown(path));
  };
  return {
    list() {
      if (!existsSync(folder)) return [];
      return readdirSync(folder)
        .flatMap((name) => name.endsWith(".db") ? [name.slice(0, -".db".length)] : [])
        .filter(isHex64).sort();
    },
    open,
    find: (log) => existsSync(pathOf(log)) ? open(log) : undefined,
  };
}

class FileStore implements MemoryStore {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #shown: string;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, path: string, shown: string) {
    this.#database = database;
    this.#path = path;
    this.#shown = shown;
  }

  get size(): number {
    return this.#row("SELECT coalesce(max(seq) + 1, 0) AS size FROM atoms")?.["size"] as number;
  }

  atom(index: number): Uint8Array {
    const row = this.#row("SELECT bytes FROM atoms WHERE seq = ?", index);
    if (row === undefined) throw this.#damaged(`atom ${index}`);
    return row["bytes"] as Uint8Array;
  }

  node(level: number, index: number): SizedNode {
    const row = this.#row("SELECT bytes FROM nodes WHERE level = ? AND place = ?", level, index);
    if (row === undefined) throw this.#damaged(`node ${index} of level ${level}`);
    return { size: 2 ** level, ...decode(memoryNodeCodec, row["bytes"] as Uint8Array) };
  }

  owner(): LogOwner | undefined {
    const row = this.#row("SELECT chain, account, wallet FROM owner");
    return row && {
      chain: row["chain"] as string,
      account: row["account"] as string,
      wallet: row["wallet"] as string,
    };
  }

  committed(): LogCommitted {
    const row = this.#row("SELECT size, sealed FROM committed");
    return { size: (row?.["size"] ?? 0) as number, sealed: row?.["sealed"] === 1 };
  }

  append(atoms: readonly Uint8Array[], outside?: string): number {
    // Before the file is held: bytes that are no atom, and hashing, keep nobody else waiting.
    const leaves = atoms.map(memoryLeaf);
    return this.#write(() => {
      const first = this.size;
      if (first + atoms.length > MAX_LOG_ATOMS) {
        throw new RangeError(`Cannot append: a log has at most ${MAX_LOG_ATOMS} atoms`);
      }
      const addAtom = this.#prepare("INSERT INTO atoms VALUES (?, ?)");
      const addSource = outside === undefined
        ? undefined
        : this.#prepare("INSERT INTO outside VALUES (?, ?)");
      const addNode = this.#prepare("INSERT INTO nodes VALUES (?, ?, ?)");
      let peaks = this.#peaks(first);
      for (const [at, bytes] of atoms.entries()) {
        addAtom.run(first + at, bytes);
        addSource?.run(first + at, outside as string);
        const grown = appendLeaf(peaks, leaves[at] as SizedNode);
        for (const { level, index, node } of grown.completed) {
          if (level > 0) addNode.run(level, index, encode(memoryNodeCodec, node));
        }
        peaks = grown.peaks;
      }
      return first;
    });
  }

  outsideOf(places: readonly number[]): string[] {
    const sources = new Set<string>();
    for (const place of places) {
      const row = this.#row("SELECT source FROM outside WHERE seq = ?", place);
      if (row !== undefined) sources.add(row["source"] as string);
    }
    return [...sources];
  }

  own({ chain, account, wallet }: LogOwner): void {
    this.#write(() => {
      this.#prepare("INSERT OR REPLACE INTO owner VALUES (1, ?, ?, ?)").run(chain, account, wallet);
    });
  }

  noteCommitted({ size, sealed }: LogCommitted): void {
    this.#write(() => {
      this.#prepare(
        "INSERT INTO committed VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET " +
          "sealed = max(sealed, excluded.sealed), size = max(size, excluded.size)",
      ).run(size, sealed ? 1 : 0);
    });
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    closeDatabase(this.#database);
  }

  /** The perfect subtrees that the first atoms split into, the largest first. */
  #peaks(size: number): MemoryPeaks {
    const peaks: SizedNode[] = [];
    for (let start = 0; start < size;) {
      const level = Math.floor(Math.log2(size - start));
      peaks.push(level === 0 ? memoryLeaf(this.atom(start)) : this.node(level, start / 2 ** level));
      start += 2 ** level;
    }
    return peaks;
  }

  #write<T>(body: () => T): T {
    try {
      return transaction(this.#database, body);
    } catch (error) {
      throw storeFault(error) === undefined ? error : located(error, this.#path);
    }
  }

  #damaged(what: string): SionError<MemoryStoreErrorCode> {
    return new SionError(
      "memory-damaged",
      `${this.#shown} is damaged, it has no ${what}: restore it`,
      {
        data: { path: this.#path },
      },
    );
  }

  #row(sql: string, ...values: number[]): Record<string, unknown> | undefined {
    return this.#prepare(sql).get(...values);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
