import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileHasher, LEAF_BYTES, leafCount, showsLeaves } from "#internal/ledger/mod.ts";
import type { FileTerms } from "#internal/store/mod.ts";
import { openKeptFiles } from "#internal/store/mod.ts";
import { fileOf } from "../ledger/_storage.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-kept-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const DEAL = "d1".repeat(32);

function termsOf(file: Uint8Array, deal = DEAL): FileTerms {
  const hasher = new FileHasher();
  hasher.add(file);
  return { deal, size: BigInt(file.length), root: hasher.end() };
}

async function* pieces(file: Uint8Array, length = 70_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += length) yield file.subarray(at, at + length);
}

describe("openKeptFiles()", () => {
  test("receive() keeps the file of a deal, and show() shows its leaves [L-645 L-566]", async () => {
    const file = fileOf(1_300 * LEAF_BYTES + 7);
    const terms = termsOf(file);
    const kept = openKeptFiles(folder);
    expect(await kept.list()).toEqual([]);
    expect(await kept.sizeOf(DEAL)).toBeUndefined();
    await kept.receive(terms, pieces(file));
    expect(await kept.list()).toEqual([DEAL]);
    expect(await kept.sizeOf(DEAL)).toBe(file.length);
    expect(new Uint8Array(readFileSync(kept.pathOf(DEAL)))).toEqual(file);
    const places = [0n, 1023n, 1024n, leafCount(terms.size) - 1n];
    expect(showsLeaves(terms, places, await kept.show(terms, places))).toBe(true);
    await kept.remove(DEAL);
    expect(readdirSync(folder)).toEqual([]);
    await kept.remove(DEAL);
  });

  test("receive() keeps nothing of another file, and reads no more of it than the deal's size [L-645]", async () => {
    const file = fileOf(300_000);
    const terms = termsOf(file);
    const kept = openKeptFiles(folder);
    const changed = file.slice();
    changed[299_999]! ^= 1;
    let read = 0;
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        read += 70_000;
        yield file.subarray(0, 70_000);
      }
    };
    await expect(kept.receive(terms, pieces(changed))).rejects.toThrow(
      "what came is not the file of storage deal d1d1d1d1, its root is another: nothing was kept",
    );
    await expect(kept.receive(terms, pieces(file.subarray(1)))).rejects.toThrow(/it is smaller/);
    await expect(kept.receive(terms, endless())).rejects.toThrow(/it is larger/);
    expect(read).toBeLessThan(400_000);
    expect(await kept.list()).toEqual([]);
    expect(readdirSync(join(folder, DEAL))).toEqual([]);
    await kept.receive(terms, pieces(file));
    await expect(kept.receive(terms, pieces(changed))).rejects.toThrow(/its root is another/);
    expect(await kept.show(terms, [3n])).toHaveLength(1);
  });

  test("claim() notes who keeps a file, until it goes", async () => {
    const kept = openKeptFiles(folder);
    expect(await kept.keeperOf(DEAL)).toBeUndefined();
    for (const account of ["aa".repeat(32), "bb".repeat(32), "bb".repeat(32)]) {
      await kept.claim(DEAL, account);
      expect(await kept.keeperOf(DEAL)).toBe(account);
    }
    expect([await kept.begun(), await kept.list()]).toEqual([[DEAL], []]);
    await kept.remove(DEAL);
    expect(await kept.keeperOf(DEAL)).toBeUndefined();
  });

  test("show() notices what is no longer the file, whatever became of it", async () => {
    const file = fileOf(1_100 * LEAF_BYTES);
    const terms = termsOf(file);
    const kept = openKeptFiles(folder, (path) => path.replace(folder, "~/kept"));
    await expect(kept.show(terms, [0n])).rejects.toThrow(
      `~/kept/${DEAL}/file is not the file of storage deal d1d1d1d1 any more, it is not there: ` +
        "fetch it again",
    );
    await kept.receive(terms, pieces(file));
    const roots = readFileSync(join(folder, DEAL, "roots"));
    const changed = file.slice();
    changed[5 * LEAF_BYTES]! ^= 1;
    writeFileSync(kept.pathOf(DEAL), changed);
    await expect(kept.show(terms, [5n])).rejects.toThrow(/leaf 5 is another/);
    expect(await kept.show(terms, [1050n])).toHaveLength(1);
    truncateSync(kept.pathOf(DEAL), 1_040 * LEAF_BYTES);
    await expect(kept.show(terms, [1050n])).rejects.toThrow(/leaf 1050 is another/);
    writeFileSync(kept.pathOf(DEAL), file);
    for (const bad of [new Uint8Array(), roots.subarray(0, 32), roots.map((byte) => byte ^ 1)]) {
      writeFileSync(join(folder, DEAL, "roots"), bad);
      await expect(kept.show(terms, [1050n])).rejects.toThrow(/leaf 1050 is another/);
    }
    expect(() => kept.pathOf("../x")).toThrow(RangeError);
  });
});
