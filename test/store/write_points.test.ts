/**
 * Each write of each file is broken off before, during and after: the file then has all that was
 * durable before, and all or nothing of the write; and it goes on from there.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSqlite } from "#internal/runtime/mod.ts";
import type { KeptFile, WriteRow } from "./_kept_file.ts";
import { KEPT_FILES } from "./_write_points.ts";
import type { Cut, Files } from "./_torn.ts";
import {
  checkpoint,
  checkpointed,
  contentsOf,
  filesOf,
  putFiles,
  tornCheckpoints,
  tornWrites,
} from "./_torn.ts";
import { share } from "../share.ts";

/** Places of each sort at which a write is broken off. */
const CUTS = share(24);
/** Of so many of them it is shown that the file goes on. */
const RETRIED = 4;
const EMPTY: Files = { main: new Uint8Array(), log: new Uint8Array() };

let folder: string;
let other: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-write-point-"));
  other = mkdtempSync(join(tmpdir(), "sion-write-point-"));
});
afterEach(() => {
  for (const path of [folder, other]) rmSync(path, { recursive: true });
});

/** What the file holds after a crash that left these bytes. */
function recovered(file: KeptFile<unknown>, files: Files): string {
  const path = file.path(other);
  putFiles(path, files);
  return contentsOf(path);
}

/** Each cut leaves what was there before; some of them show that the write can be done again. */
async function holdsBefore(
  file: KeptFile<unknown>,
  cuts: readonly Cut[],
  before: string,
  again: (folder: string) => unknown,
): Promise<void> {
  for (const [i, { what, files }] of cuts.entries()) {
    expect(recovered(file, files), what).toBe(before);
    if (i % Math.ceil(cuts.length / RETRIED) > 0) continue;
    putFiles(file.path(other), files);
    await again(other);
    expect(contentsOf(file.path(other)), `${what}, then the write again`).not.toBe(before);
  }
}

const rows = KEPT_FILES.flatMap((file: KeptFile<unknown>) =>
  Object.entries(file.writes).flatMap(([name, row]) =>
    [false, true].map((reused) => ({ file, name, row: row as WriteRow<unknown>, reused }))
  )
);

describe("every write point", () => {
  test.each(rows)(
    "$file.name: $name, broken off, is all there or not at all (log begun anew: $reused)",
    async ({ file, name, row, reused }) => {
      const path = file.path(folder);
      const store = file.open(folder);
      try {
        await row.before?.(store);
        if (reused) checkpoint(path);
        const before = filesOf(path);
        await row.write(store);
        const after = filesOf(path);
        const [was, is] = [recovered(file, before), recovered(file, after)];
        expect(is).not.toBe(was);
        const cuts = tornWrites(before, after, name, CUTS);
        expect(cuts.length).toBeGreaterThan(CUTS);
        await holdsBefore(file, cuts, was, async (at) => {
          const again = file.open(at);
          await row.write(again);
          file.close(again);
        });
        const done = checkpointed(after, file.path(other));
        for (const { what, files } of tornCheckpoints(after, done, name, CUTS)) {
          expect(recovered(file, files), what).toBe(is);
        }
      } finally {
        file.close(store);
      }
    },
  );

  test.each(KEPT_FILES)("$name is made whole, wherever its making breaks off", async (file) => {
    const path = file.path(folder);
    const store = file.open(folder);
    const made = filesOf(path);
    const whole = recovered(file, made);
    const begun = { ...made, log: EMPTY.log };
    const cuts = [
      { what: "nothing but its name", files: EMPTY },
      { what: "its first page", files: begun },
      ...tornWrites(begun, made, file.name, CUTS),
    ];
    for (const { what, files } of cuts) {
      putFiles(file.path(other), files);
      file.close(file.open(other));
      expect(contentsOf(file.path(other)), what).toBe(whole);
    }
    file.close(store);
  });

  const upgrades = KEPT_FILES.flatMap((file: KeptFile<unknown>) =>
    Object.keys(file.older ?? {}).map((version) => ({ file, version: Number(version) }))
  );

  test.each(upgrades)(
    "$file.name of schema $version is brought forward whole, or left as it was",
    async ({ file, version }) => {
      const path = file.path(folder);
      const made = file.open(folder);
      await Object.values(file.writes)[0]?.write(made);
      file.close(made);
      makeOlder(path, file, version);
      const before = filesOf(path);
      const old = recovered(file, before);
      const store = file.open(folder);
      const after = filesOf(path);
      const now = recovered(file, after);
      file.close(store);
      expect(now).not.toBe(old);
      await holdsBefore(file, tornWrites(before, after, file.name, CUTS), old, (at) => {
        file.close(file.open(at));
        expect(contentsOf(file.path(at))).toBe(now);
      });
    },
  );
});

/** Takes back what later schemas added. */
function makeOlder(path: string, file: KeptFile<unknown>, version: number): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  for (let at = schemaOf(path) - 1; at >= version; at--) database.exec(file.older?.[at] ?? "");
  database.exec(`PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
  writeFileSync(`${path}-wal`, "");
}

function schemaOf(path: string): number {
  const database = new (loadSqlite().DatabaseSync)(path);
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  database.close();
  return version;
}

describe("the table of write points", () => {
  test.each(KEPT_FILES)("$name: every method has a row, or only reads", (file) => {
    const store = file.open(folder);
    const written = new Set(Object.keys(file.writes).map((name) => name.split(":", 1)[0]));
    const untold = file.methods(store).filter((name: string) =>
      !written.has(name) && !(name in file.reads)
    );
    expect(untold).toEqual([]);
    const before = filesOf(file.path(folder));
    for (const read of Object.values(file.reads)) (read as (store: unknown) => unknown)(store);
    expect(filesOf(file.path(folder))).toEqual(before);
    file.close(store);
  });

  test.each(KEPT_FILES)("$name: every older schema has a row", (file) => {
    file.close(file.open(folder));
    const older = Array.from({ length: schemaOf(file.path(folder)) - 1 }, (_, i) => `${i + 1}`);
    expect(Object.keys(file.older ?? {})).toEqual(older);
  });

  test("every source file that opens a database is in the table", () => {
    const internal = fileURLToPath(new URL("../../internal/", import.meta.url));
    const opening = readdirSync(internal, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && name !== join("store", "database.ts"))
      .filter((name) => /\bopenDatabase\(/.test(readFileSync(join(internal, name), "utf8")));
    expect(opening.sort()).toEqual(KEPT_FILES.map(({ source }) => source).sort());
  });
});
