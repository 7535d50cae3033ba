/** Sets of changes: all of them or none, whatever happens in between. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { utf8 } from "#internal/core/mod.ts";
import { openWorkspace } from "../../internal/agent/workspace.ts";
import type { Change, Workspace } from "../../internal/agent/workspace.ts";
import { testFolder } from "./_machine.ts";

async function place(files: Readonly<Record<string, string>>): Promise<{
  readonly folder: string;
  readonly workspace: Workspace;
  readonly change: (changes: readonly Change[], onReady?: () => void) => Promise<void>;
  /** Every file there and what it holds. */
  readonly all: () => Record<string, string>;
}> {
  const folder = testFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const workspace = await openWorkspace(folder);
  return {
    folder,
    workspace,
    change: (changes, onReady = () => {}) => workspace.change(changes, { id: "1", onReady }),
    all: () =>
      Object.fromEntries(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name))
          .sort()
          .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
      ),
  };
}

const write = (path: string, text: string): Change => ({ kind: "write", path, bytes: utf8(text) });
const remove = (path: string): Change => ({ kind: "remove", path });

describe("change()", () => {
  test("writes, makes folders for and removes several files [A-161 A-163]", async () => {
    const { all, change } = await place({ "a": "1", "d/b": "2" });
    await change([write("a", "one"), write("new/deep/c", "three"), remove("d/b")]);
    expect(all()).toEqual({ "a": "one", "new/deep/c": "three" });
  });

  test("has every new text beside its file before any file changes [A-163]", async () => {
    const { all, change } = await place({ "a": "1", "b": "2" });
    let seen: Record<string, string> = {};
    await change([write("a", "one"), write("b", "two")], () => seen = all());
    expect(seen).toEqual({
      ".sion-1-0.old": "1",
      ".sion-1-0.tmp": "one",
      ".sion-1-1.old": "2",
      ".sion-1-1.tmp": "two",
      "a": "1",
      "b": "2",
    });
    expect(all()).toEqual({ a: "one", b: "two" });
  });

  test.each<[string, readonly Change[], string]>([
    ["a missing one is removed", [write("n/x", "x"), remove("gone")], "there is no gone"],
    ["a folder is in the way", [write("n/x", "x"), write("d", "x")], "d is a folder"],
    ["one leads outside", [write("n/x", "x"), write("../x", "x")], "is outside the workspace"],
    [
      "a new one is there",
      [write("n/x", "x"), { kind: "write", path: "a", bytes: utf8("x"), was: "nothing" }],
      "a is there already",
    ],
  ])("changes nothing and leaves nothing when %s [A-164]", async (_what, changes, message) => {
    const { all, change, folder } = await place({ "a": "1", "d/b": "2" });
    await expect(change(changes)).rejects.toThrow(message);
    expect(all()).toEqual({ "a": "1", "d/b": "2" });
    expect(readdirSync(folder).sort()).toEqual(["a", "d"]);
  });

  test("does not write over what something else wrote since it was read", async () => {
    const { all, change, folder, workspace } = await place({ "a": "1" });
    const { version } = await workspace.readWhole("a", 100);
    writeFileSync(join(folder, "a"), "other");
    const changes: Change[] = [{ kind: "write", path: "a", bytes: utf8("x"), was: version }];
    await expect(change(changes)).rejects.toThrow("a was changed by something else meanwhile");
    expect(all()).toEqual({ a: "other" });
  });

  test("puts back what was there when a file cannot be brought in [A-164]", async () => {
    const { all, change, folder } = await place({ "a": "1", "b": "2", "c": "3" });
    chmodSync(join(folder, "a"), 0o640);
    const before = statSync(join(folder, "a"));
    const changes = [write("a", "one"), remove("b"), write("new", "n"), write("c", "three")];
    const swap = () => {
      rmSync(join(folder, "c"));
      mkdirSync(join(folder, "c", "full"), { recursive: true });
    };
    await expect(change(changes, swap)).rejects.toThrow("cannot use c: it is a folder");
    expect(all()).toEqual({ a: "1", b: "2" });
    expect(statSync(join(folder, "a"))).toMatchObject({ ino: before.ino, mode: before.mode });
  });

  test("keeps modes, gives the right to run, and moves a mode with its file", async () => {
    const { change, folder, workspace } = await place({ "a": "1", "b": "2" });
    chmodSync(join(folder, "a"), 0o754);
    chmodSync(join(folder, "b"), 0o640);
    const { mode } = await workspace.readWhole("a", 10);
    await change([
      { kind: "write", path: "moved", bytes: utf8("1"), modeOf: mode, was: "nothing" },
      remove("a"),
      { kind: "write", path: "b", bytes: utf8("2"), executable: true },
    ]);
    expect(statSync(join(folder, "moved")).mode & 0o7777).toBe(0o754);
    expect(statSync(join(folder, "b")).mode & 0o7777).toBe(0o750);
  });

  test("leaves what is another user's theirs, and gives them what is new in their folder", async () => {
    const own = process.getuid?.() ?? 0;
    const [uid, gid] = own === 0 ? [1000, 1000] : [own, process.getgid?.() ?? 0];
    const { change, folder } = await place({ "a": "1" });
    chownSync(folder, uid, gid);
    chownSync(join(folder, "a"), uid, gid);
    await change([write("a", "one"), write("d/new", "x")]);
    for (const name of ["a", "d", "d/new"]) {
      expect(statSync(join(folder, name))).toMatchObject({ uid, gid });
    }
  });
});

describe("a process that ends while it changes files", () => {
  const changes = [write("a", "one"), write("d/new", "n"), remove("c")];

  /** Ends the change where it stands, as a kill does. */
  async function cutOff(): Promise<Awaited<ReturnType<typeof place>>> {
    const at = await place({ "a": "1", "c": "3" });
    const copies: Record<string, string> = {};
    await at.change(changes, () => Object.assign(copies, at.all()));
    for (const name of readdirSync(at.folder)) rmSync(join(at.folder, name), { recursive: true });
    for (const [name, text] of Object.entries(copies)) {
      mkdirSync(join(at.folder, name, ".."), { recursive: true });
      writeFileSync(join(at.folder, name), text);
    }
    return at;
  }

  test("finish() brings in what was ready, from whatever point on", async () => {
    const { all, folder, workspace } = await cutOff();
    expect(Object.keys(all())).toContain(".sion-1-0.tmp");
    rmSync(join(folder, "c"));
    await workspace.finish(changes, "1");
    expect(all()).toEqual({ "a": "one", "d/new": "n" });
    await workspace.finish(changes, "1");
    expect(all()).toEqual({ "a": "one", "d/new": "n" });
  });

  test("discard() takes away what was not ready and changes no file", async () => {
    const { all, workspace } = await cutOff();
    await workspace.discard(changes.map(({ path }) => path), "1");
    expect(all()).toEqual({ "a": "1", "c": "3" });
  });
});
