/** Memory logs by the real program: several processes, kills, and answers that others check. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseJson, silentLogger } from "#internal/core/mod.ts";
import { headOf, nodeOver } from "#internal/memory/mod.ts";
import { type Devnet, startDevnet } from "#internal/node/mod.ts";
import { openMemoryStores } from "#internal/store/mod.ts";
import { atomsOf, indexOfBytes } from "../memory/_atoms.ts";
import { runtimeCommand, runWith } from "./_child.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-memory-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a memory log's file", () => {
  const child = (home: string, log: string, ...more: string[]) =>
    runWith("", runtimeCommand("_memory_child.ts", home, log, ...more));

  it("takes atoms of several processes at once, each of them once", async () => {
    const log = "a1".repeat(32);
    const names = ["left", "right", "top"];
    for (
      const { code, stderr } of await Promise.all(names.map((n) => child(folder, log, n, "12")))
    ) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
    using store = openMemoryStores(folder).open(log);
    expect(store.size).toBe(36);
    const atoms = atomsOf(store);
    expect(new Set(atoms.map(({ subject }) => subject)).size).toBe(36);
    // Every node that appending left behind is the one over those atoms.
    expect(headOf(nodeOver(store, 0, 36))).toEqual(indexOfBytes(store).head);
  });

  it("has every atom that was told durable after SIGKILL within a write, and goes on [L-465]", async () => {
    const log = "b2".repeat(32);
    for (const dies of ["0", "3", "4"]) {
      const ended = await child(folder, log, `before-${dies}`, "9", dies);
      expect([ended.signal, ended.stderr]).toEqual(["SIGKILL", ""]);
    }
    using store = openMemoryStores(folder).open(log);
    expect(store.size).toBe(7);
    expect(headOf(nodeOver(store, 0, 7))).toEqual(indexOfBytes(store).head);
  });
});

describe("sion memory", () => {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startDevnet({
      dir: join(folder, "devnet"),
      port: 0,
      insecureSignatures: true,
      logger: silentLogger,
    });
  });
  afterAll(() => devnet[Symbol.asyncDispose]());

  const sion = async (home: string, ...args: string[]) => {
    const node = args[1] === "list" ? [] : ["--node", devnet.url];
    const command = runtimeCommand("../../cmd/sion/main.ts", ...args, "--home", home, ...node);
    return await runWith("", command);
  };

  it("recalls with a proof that another machine checks by the ledger's root alone [L-435 L-446 L-447 L-465 L-614]", async () => {
    const [home, other] = [join(folder, "home"), join(folder, "other")];
    const ok = async (at: string, ...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await sion(at, ...args);
      expect({ args, code, stderr: code === 0 ? "" : stderr }).toEqual({
        args,
        code: 0,
        stderr: "",
      });
      return stdout;
    };
    const { log } = parseJson(await ok(home, "memory", "open", "alice", "--json")) as {
      log: string;
    };
    const short = log.slice(0, 8);
    const place = ["--frame", "warehouse-3", "--at", "41000,11000,500", "--size", "600,400,500"];
    const held = ["--from", "1790812800", "--seconds", "30"];
    const said = ["memory", "remember", "alice", short, "pallet-17", "at", "@aisle-4"];
    expect(await ok(home, ...said, ...place, ...held)).toMatch(/^atom 0 of memory log .*, 1 not /);
    expect(await ok(home, "memory", "commit", "alice", short))
      .toContain(`memory log ${short} now holds 1 atom (head 1)`);
    const asked = [
      ...["memory", "recall", short, "warehouse-3", "--min", "40000,10000,0"],
      ...["--max", "42000,12000,3000", "--from", "1790812800", "--until", "1790812860"],
    ];
    const shown = await ok(home, ...asked);
    expect(shown).toContain("0 pallet-17 at aisle-4 (observation, 1000 ‰, from 1790812800 to");
    const answer = join(folder, "answer.json");
    const proven = await ok(home, ...asked, "--proof");
    writeFileSync(answer, proven);
    // Another machine has no file of the log; what it prints is the same.
    expect(await ok(other, "memory", "verify", answer)).toBe(shown);
    const lies = {
      "its end changed": proven.replace(
        /.("\s*,\s*"until_s")/,
        (all, end: string) => (all.startsWith("0") ? "1" : "0") + end,
      ),
      "another box": proven.replace("42000", "40001"),
    };
    for (const [what, lie] of Object.entries(lies)) {
      expect(lie, what).not.toBe(proven);
      writeFileSync(answer, lie);
      const { code, stderr } = await sion(other, "memory", "verify", answer);
      expect([what, code]).toEqual([what, 6]);
      expect(stderr).toContain("is not proven");
    }
    // Nothing of what it says now is in what it said before.
    await ok(home, "memory", "remember", "alice", short, "door-2", "open", "true");
    await ok(home, "memory", "commit", "alice", short, "--seal");
    writeFileSync(answer, proven);
    expect((await sion(other, "memory", "verify", answer)).code).toBe(6);
    expect((await sion(other, ...asked)).stderr).toContain("use the machine that remembered them");
    expect(await ok(home, "memory", "list")).toBe(
      `${log} alice 2 atoms, 0 not committed, sealed\n`,
    );
  });
});
