import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VERSION } from "#internal/core/mod.ts";
import { closeDatabase, openDatabase, storeFault, transaction } from "#internal/store/mod.ts";
import { transactionLater } from "../../internal/store/database.ts";

const SCHEMA = "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT) ";

describe("closeDatabase()", () => {
  it("closeDatabase() empties the log into the file, though another process has it open", () => {
    const folder = mkdtempSync(join(tmpdir(), "sion-db-"));
    const path = join(folder, "x.db");
    const db = openDatabase(path, { schema: SCHEMA, version: 1 });
    const other = openDatabase(path, { schema: SCHEMA, version: 1 });
    expect(other.prepare("SELECT count(*) AS n FROM t").get()).toMatchObject({ n: 0 });
    db.exec("INSERT INTO t VALUES (1, 'a')");
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    closeDatabase(db);
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(db.isOpen).toBe(false);
    closeDatabase(db);
    closeDatabase(other);
    expect(existsSync(`${path}-wal`)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it("closeDatabase() does not wait for whoever goes on reading", () => {
    const folder = mkdtempSync(join(tmpdir(), "sion-db-"));
    const path = join(folder, "x.db");
    const db = openDatabase(path, { schema: SCHEMA, version: 1 });
    const other = openDatabase(path, { schema: SCHEMA, version: 1 });
    db.exec("INSERT INTO t VALUES (1, 'a')");
    other.exec("BEGIN; SELECT * FROM t");
    closeDatabase(db);
    expect(db.isOpen).toBe(false);
    other.exec("COMMIT");
    expect(other.prepare("SELECT v FROM t").get()).toMatchObject({ v: "a" });
    closeDatabase(other);
    rmSync(folder, { recursive: true });
  });
});

describe("transactionLater()", () => {
  it("transactionLater() does not wait for the disk, and the next transaction does again", () => {
    const folder = mkdtempSync(join(tmpdir(), "sion-db-"));
    const path = join(folder, "x.db");
    const db = openDatabase(path, { schema: SCHEMA, version: 1 });
    const waits = (): unknown => db.prepare("PRAGMA synchronous").get()?.["synchronous"];
    const NORMAL = 1;
    const FULL = 2;
    expect(transactionLater(db, () => {
      db.exec("INSERT INTO t VALUES (1, 'a')");
      return waits();
    })).toBe(NORMAL);
    // What was written is the system's by then, and another process sees it.
    const other = openDatabase(path, { schema: SCHEMA, version: 1 });
    expect(other.prepare("SELECT v FROM t").get()).toMatchObject({ v: "a" });
    closeDatabase(other);
    expect(waits()).toBe(FULL);
    expect(() =>
      transactionLater(db, () => {
        db.exec("INSERT INTO t VALUES (1, 'again')");
      })
    ).toThrow("UNIQUE");
    expect(waits()).toBe(FULL);
    expect(transaction(db, waits)).toBe(FULL);
    closeDatabase(db);
    rmSync(folder, { recursive: true });
  });
});

describe("openDatabase()", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sion-db-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("openDatabase() makes a file of the pages asked for, and goes on with those it has", () => {
    const pageSize = (options: { readonly pageBytes?: number }): unknown => {
      const db = openDatabase(join(folder, "x.db"), { schema: SCHEMA, version: 1, ...options });
      const row = db.prepare("PRAGMA page_size").get();
      closeDatabase(db);
      return row?.["page_size"];
    };
    expect([{ pageBytes: 16_384 }, {}, { pageBytes: 8_192 }].map(pageSize))
      .toEqual([16_384, 16_384, 16_384]);
  });

  it("openDatabase() makes a private file with a durable write-ahead log", () => {
    const path = join(folder, "deep", "x.db");
    const db = openDatabase(path, { schema: SCHEMA, version: 1 });
    expect(db.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    expect(db.prepare("PRAGMA synchronous").get()).toMatchObject({ synchronous: 2 });
    db.exec("INSERT INTO t VALUES (1, 'a')");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "deep")).mode & 0o777).toBe(0o700);
    db.close();
    const again = openDatabase(path, { schema: SCHEMA, version: 1 });
    expect(again.prepare("SELECT v FROM t").get()).toMatchObject({ v: "a" });
    again.close();
  });

  it("openDatabase() refuses a file of a newer sion and leaves it as it is", () => {
    const path = join(folder, "x.db");
    const newer = openDatabase(path, { schema: SCHEMA, version: 3 });
    newer.exec("UPDATE about SET value = '1.4.0' WHERE key = 'sion'");
    newer.close();
    const older = { schema: SCHEMA, version: 2, shown: "~/.sion/devnet" } as const;
    expect(() => openDatabase(path, { ...older, elsewhere: "--dir" })).toThrow(
      `~/.sion/devnet was written by sion 1.4.0, this is ${VERSION}: ` +
        "update sion, or give another --dir",
    );
    expect(() => openDatabase(path, { ...older, shown: "~/.sion" })).toThrow(
      `~/.sion was written by sion 1.4.0, this is ${VERSION}: update sion, or give another --home`,
    );
    const after = openDatabase(path, { schema: SCHEMA, version: 3 });
    expect(after.prepare("SELECT value FROM about").get()).toMatchObject({ value: "1.4.0" });
    after.close();
  });

  it("openDatabase() brings an older file forward step by step, data kept", () => {
    const path = join(folder, "x.db");
    const old = openDatabase(path, { schema: SCHEMA, version: 1 });
    old.exec("INSERT INTO t VALUES (1, 'kept')");
    old.close();
    const upgrade = ["ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'new'", "CREATE TABLE u (x)"];
    const db = openDatabase(path, { schema: "unused", version: 3, upgrade });
    expect(db.prepare("SELECT v, w FROM t").get()).toMatchObject({ v: "kept", w: "new" });
    expect(db.prepare("SELECT count(*) AS n FROM u").get()).toMatchObject({ n: 0 });
    db.close();
  });

  it("transaction() keeps all of its body's writes or none", () => {
    const db = openDatabase(join(folder, "x.db"), { schema: SCHEMA, version: 1 });
    expect(() =>
      transaction(db, () => {
        db.exec("INSERT INTO t VALUES (1, 'a')");
        throw new Error("stop");
      })
    ).toThrow("stop");
    transaction(db, () => db.exec("INSERT INTO t VALUES (2, 'b')"));
    expect(db.prepare("SELECT group_concat(k) AS k FROM t").get()).toMatchObject({ k: "2" });
    db.close();
  });

  it("transaction() on a full disk says so, keeps nothing, and can be begun again", () => {
    const db = openDatabase(join(folder, "x.db"), { schema: SCHEMA, version: 1 });
    db.exec("PRAGMA max_page_count = 8");
    const fill = () =>
      transaction(db, () => {
        const insert = db.prepare("INSERT INTO t VALUES (?, ?)");
        for (let k = 0; k < 100; k++) insert.run(k, "x".repeat(4_096));
      });
    for (let times = 0; times < 2; times++) {
      let fault: unknown;
      try {
        fill();
      } catch (error) {
        fault = storeFault(error);
      }
      expect(fault).toMatchObject({ state: "has no room: the disk is full" });
    }
    expect(db.prepare("SELECT count(*) AS n FROM t").get()).toMatchObject({ n: 0 });
    db.close();
  });

  it("openDatabase() names the path in a fault of the file", () => {
    const path = join(folder, "x.db");
    writeFileSync(path, "x".repeat(8_192));
    expect(() => openDatabase(path, { schema: SCHEMA, version: 1 })).toThrow(
      expect.objectContaining({ path }),
    );
  });
});
