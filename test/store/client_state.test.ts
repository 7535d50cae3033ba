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
    await state.settle(unit(6n), true);
    expect(state.floor(key)).toBe(7n);
    await state.settle(unit(4n, 2), true);
    expect(state.floor(key)).toBe(7n);
    await state.settle(unit(7n), false);
    expect(state.floor(key)).toBe(7n);
    expect(state.pending(key)).toEqual([]);
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
