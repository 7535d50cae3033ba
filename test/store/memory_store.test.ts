/** Where what a memory log's atoms may repeat came from, beside the atoms in its file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { encodeAtom, OPEN_END } from "#internal/memory/mod.ts";
import { openMemoryStores } from "#internal/store/mod.ts";

const LOG = "5b".repeat(32);

function atom(subject: string): Uint8Array {
  const value = { kind: "boolean", body: true } as const;
  const when = { confidence: 1_000, from: 1n, until: OPEN_END, place: null };
  return encodeAtom({ kind: "observation", subject, predicate: "is", value, ...when });
}

test("sources are kept beside the atoms", () => {
  const home = mkdtempSync(join(tmpdir(), "sion-memory-store-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const stores = openMemoryStores(home);
  using store = stores.open(LOG);
  store.append([atom("door-1")]);
  expect(store.outsideOf([0])).toEqual([]);
  expect(store.append([atom("door-2"), atom("door-3")], "page a")).toBe(1);
  store.append([atom("door-4")], "page b");
  expect(store.outsideOf([0, 1, 2])).toEqual(["page a"]);
  expect(store.outsideOf([3, 2])).toEqual(["page b", "page a"]);
  expect(() => store.append([new Uint8Array(3)], "page c")).toThrow();
  expect(store.size).toBe(4);
});
