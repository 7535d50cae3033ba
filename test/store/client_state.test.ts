import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClientState, Lane, PendingUnit } from "#internal/store/mod.ts";
import { openClientState } from "#internal/store/mod.ts";

const key = { chain: "c1", account: "a1" };

function unit(sequence: bigint, members = 1): PendingUnit {
  return {
    ...key,
    sequence,
    members,
    wallet: "alice",
    unit: `u${sequence}`,
    bytes: Uint8Array.of(1, 2, 3),
    cost: 2n ** 64n - 1n,
    validUntil: 20n,
    owner: 77,
    touchedMs: 5,
  };
}

/** The lowest sequence that no pending unit has. */
function nextFree(lane: Lane): bigint {
  return lane.pending.reduce((next, { sequence }) => sequence === next ? next + 1n : next, 0n);
}

describe("openClientState()", () => {
  let home: string;
  let state: ClientState;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "sion-state-"));
    state = openClientState(home);
  });
  afterEach(() => {
    state.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("ClientState.withLane() keeps a unit exactly, for another opening of the file to find", async () => {
    await state.withLane(key, async (lane) => lane.keep(unit(3n, 2)));
    const other = openClientState(home);
    expect(other.pending(key)).toEqual([unit(3n, 2)]);
    expect(other.pending({ ...key, chain: "c2" })).toEqual([]);
    other.close();
  });

  it("ClientState.settle() and touch() of a unit of two accounts are about both lanes", async () => {
    const other = { ...key, account: "a2" };
    const joint = { ...unit(7n), unit: "joint" };
    await state.withLane(key, async (lane) => {
      lane.keep(joint);
      lane.keep({ ...joint, ...other, sequence: 3n, members: 2 });
      lane.keep({ ...unit(5n), ...other });
    });
    await state.touch(joint, 78, 9);
    expect(state.pending(other)).toMatchObject([
      { sequence: 3n, owner: 78, touchedMs: 9 },
      { sequence: 5n, owner: 77 },
    ]);
    await state.settle({ ...joint, ...other, sequence: 3n, members: 2 }, "executed");
    expect(state.pending(key)).toEqual([]);
    expect(state.pending(other)).toMatchObject([{ sequence: 5n }]);
    expect([state.floor(key), state.floor(other)]).toEqual([8n, 5n]);
  });

  it("ClientState.withLane() keeps nothing when its body throws", async () => {
    const failing = state.withLane(key, async (lane) => {
      lane.keep(unit(0n));
      await delay(1);
      throw new Error("cannot sign");
    });
    await expect(failing).rejects.toThrow("cannot sign");
    expect(state.pending(key)).toEqual([]);
    await state.withLane(key, async (lane) => lane.keep(unit(0n)));
    expect(state.pending(key)).toHaveLength(1);
  });

  it("ClientState.settle() frees or consumes a unit's sequences; the floor never falls", async () => {
    await state.withLane(key, async (lane) => {
      lane.keep(unit(4n, 2));
      lane.keep(unit(6n));
      lane.keep(unit(7n));
    });
    await state.settle(unit(6n), "executed");
    expect(state.floor(key)).toBe(7n);
    await state.settle(unit(4n, 2), "executed");
    expect(state.floor(key)).toBe(7n);
    await state.settle(unit(7n), "never");
    expect(state.floor(key)).toBe(7n);
    expect(state.pending(key)).toEqual([]);
  });

  const list = { batch: "b1", list: "l1", payments: 300, begunMs: 9 };
  const part = (sequence: bigint, place: number, id = "b1") => ({
    ...unit(sequence, 2),
    batch: { id, place },
  });
  const keepPart = (sequence: bigint, place: number) =>
    state.withLane(key, async (lane) => lane.keep(part(sequence, place)));

  it("ClientState.startBatch() has one open batch a lane, and remembers those that were told", async () => {
    expect(await state.startBatch(key, list, false)).toEqual({ type: "new", batch: list });
    await keepPart(0n, 0);
    const later = { ...list, batch: "b2", begunMs: 10 };
    expect(await state.startBatch(key, later, false)).toEqual({ type: "open", batch: list });
    const other = { ...later, list: "l2" };
    expect(await state.startBatch(key, other, false)).toEqual({ type: "other-open", batch: list });
    const elsewhere = { ...key, account: "a2" };
    expect((await state.startBatch(elsewhere, { ...list, batch: "b3" }, false)).type).toBe("new");
    await state.endBatch("b1");
    expect(await state.startBatch(key, later, false)).toEqual({ type: "told", batch: list });
    expect(await state.startBatch(key, later, true)).toEqual({ type: "new", batch: later });
  });

  it("ClientState.startBatch() drops a batch that nothing may execute of", async () => {
    await state.startBatch(key, list, false);
    await keepPart(0n, 0);
    await state.settle(unit(0n, 2), "never");
    const other = { ...list, batch: "b2", list: "l2" };
    expect((await state.startBatch(key, other, false)).type).toBe("new");
    expect((await state.startBatch(key, { ...list, batch: "b4" }, false)).type).toBe("new");
  });

  it("ClientState.settle() notes in its batch how a unit ended; a place has one that may execute", async () => {
    await state.startBatch(key, list, false);
    await keepPart(0n, 0);
    await keepPart(2n, 1);
    await expect(keepPart(4n, 1)).rejects.toMatchObject({ code: "batch-busy" });
    expect(state.pending(key).map(({ sequence }) => sequence)).toEqual([0n, 2n]);
    await state.settle(unit(0n, 2), "executed");
    await state.settle(unit(2n, 2), "taken");
    expect(state.batchUnits("b1")).toEqual([
      { place: 0, unit: unit(0n).unit, members: 2, state: "executed" },
      { place: 1, unit: unit(2n).unit, members: 2, state: "dead" },
    ]);
    await expect(keepPart(4n, 0)).rejects.toMatchObject({ code: "batch-busy" });
    await keepPart(4n, 1);
    await state.endBatch("b1");
    expect(state.batchUnits("b1")).toEqual([]);
    await expect(keepPart(6n, 2)).rejects.toMatchObject({ code: "batch-busy" });
  });

  it("ClientState.name() keeps what a name stands for, apart for each kind of signatures", async () => {
    await state.name("dual", "alice", "a1");
    await state.name("insecure", "alice", "a2");
    expect(state.accountOf("dual", "alice")).toBe("a1");
    expect(state.accountOf("dual", "bob")).toBeUndefined();
    expect(state.names("insecure")).toEqual(new Map([["a2", "alice"]]));
  });

  it("ClientState.withLane() gives many calls of one process each its own sequence [L-068]", async () => {
    await Promise.all(Array.from({ length: 32 }, () =>
      state.withLane(key, async (lane) => {
        const sequence = nextFree(lane);
        await delay(0);
        lane.keep(unit(sequence));
      })));
    expect(state.pending(key).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 32 }, (_, i) => BigInt(i)),
    );
  });

  it("ClientState.withLane() gives calls of several processes each its own sequence", async () => {
    const program = `
      import { openClientState } from "#internal/store/mod.ts";
      import { setTimeout as delay } from "node:timers/promises";
      const state = openClientState(process.argv[1]);
      for (let i = 0; i < 5; i++) {
        await state.withLane(${JSON.stringify(key)}, async (lane) => {
          let next = 0n;
          for (const { sequence } of lane.pending) if (sequence === next) next++;
          await delay(3);
          lane.keep({ ...${JSON.stringify(key)}, sequence: next, members: 1, wallet: "w",
            unit: "u" + next, bytes: new Uint8Array(1), cost: 0n, validUntil: 1n, owner: 1, touchedMs: 0 });
        });
      }
      state.close();
    `;
    const codes = await Promise.all([1, 2, 3].map(() => runProgram(program, home)));
    expect(codes).toEqual([0, 0, 0]);
    expect(state.pending(key).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 15 }, (_, i) => BigInt(i)),
    );
  });

  it("openClientState() makes one file when several processes begin at once", async () => {
    const fresh = join(home, "fresh");
    const program = `
      import { openClientState } from "#internal/store/mod.ts";
      openClientState(process.argv[1]).close();
    `;
    const codes = await Promise.all([1, 2, 3, 4].map(() => runProgram(program, fresh)));
    expect(codes).toEqual([0, 0, 0, 0]);
  });
});

/** Exit code of a module run by this very runtime in a process of its own. */
function runProgram(source: string, argument: string): Promise<number | null> {
  const isDeno = "deno" in process.versions;
  const args = isDeno
    ? [
      "eval",
      "--quiet",
      "--ext=ts",
      `import process from "node:process";${
        source.replaceAll("process.argv[1]", JSON.stringify(argument))
      }`,
    ]
    : ["--input-type=module", "--eval", source, argument];
  return new Promise((done) => {
    spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] }).on("exit", done);
  });
}
