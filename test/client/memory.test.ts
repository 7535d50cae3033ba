/** Memory logs of a client: remembered in files, committed, recalled; and every lie about one. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Client, MemoryBox, NewAtom, Outcome } from "#internal/client/mod.ts";
import { encodeAtom, proveRecall } from "#internal/memory/mod.ts";
import { openMemoryStores } from "#internal/store/mod.ts";
import { atomOf, box as boxOf, indexOf } from "../memory/_atoms.ts";
import { useBench } from "./bench.ts";

const BOX: MemoryBox = {
  frame: "warehouse-3",
  min: [40_000, 10_000, 0],
  max: [42_000, 12_000, 3_000],
  from_s: 1_790_812_800,
  until_s: 1_790_812_860,
};
const PALLET = {
  wallet: "alice",
  subject: "pallet-17",
  predicate: "at",
  value: "@aisle-4",
  frame: "warehouse-3",
  at: [41_000, 11_000, 500],
  size: [600, 400, 500],
  from_s: 1_790_812_800,
  seconds: 30,
  confidence_permille: 900,
};
const DOOR = {
  wallet: "alice",
  subject: "dock-door-2",
  predicate: "open",
  value: "true",
  kind: "world-state",
  from_s: 1_790_812_808,
};

async function opened(client: Client, more: { wallet?: string; agent?: string } = {}) {
  const { made: [log = ""] } = await client.memory.open({ wallet: "alice", ...more });
  return log;
}

describe("memory", () => {
  const bench = useBench();
  const remember = (log: string, ...atoms: Omit<NewAtom, "log">[]): Promise<unknown> =>
    atoms.reduce<Promise<unknown>>(
      (before, atom) => before.then(() => bench.client.memory.remember({ ...atom, log })),
      Promise.resolve(),
    );
  const commit = (log: string, seal = false): Promise<Outcome> =>
    bench.client.memory.commit({ wallet: "alice", log, seal });

  it("opens, remembers, commits and recalls as recorded [L-405..L-409 L-413..L-418 L-431 L-433..L-437 L-441..L-443 L-445..L-447 L-454..L-463 L-466]", async () => {
    const { memory } = bench.client;
    const open = await memory.open({ wallet: "alice" });
    const [log = ""] = open.made;
    const short = log.slice(0, 8);
    expect(open).toMatchObject({
      receipt: `Done: memory log ${short} opened; fee 0.0012 USD.`,
      status: "Success",
    });
    const first = await memory.remember({ ...PALLET, log: short });
    expect(first).toMatchObject({ log, seq: 0, size: 1, uncommitted: 1 });
    expect(await memory.remember({ ...DOOR, log: short }))
      .toMatchObject({ log, seq: 1, size: 2, uncommitted: 2 });
    const committed = await commit(short);
    expect(committed).toMatchObject({
      receipt: `Done: memory log ${short} now holds 2 atoms (head 1); fee 0.0011 USD.`,
      status: "Success",
    });
    const { value, proof } = await memory.recall({ ...BOX, log: short });
    expect(value).toEqual({
      as_of: { index: expect.any(String) as string, pulse: committed.pulse, size: 2 },
      atoms: [{
        confidence_permille: 900,
        id: first.id,
        kind: "observation",
        seq: 0,
        statement: "pallet-17 at aisle-4",
        valid_from_s: 1_790_812_800,
        valid_until_s: 1_790_812_830,
      }],
      log,
      proof_bytes: proof.length,
      verified: "complete against the index root the ledger holds",
    });
    const empty = await memory.recall({ ...BOX, log, frame: "yard" });
    expect(empty.value.atoms).toEqual([]);
    expect(empty.value.proof_bytes).toBeGreaterThan(0);
    expect((await memory.remember({ ...DOOR, log })).uncommitted).toBe(1);
    expect(await memory.list())
      .toEqual([{ committed: 2, log, sealed: false, size: 3, uncommitted: 1, wallet: "alice" }]);
  });

  it("remembers without a node, and says where the end of a box lies [L-435 L-465]", async () => {
    const log = await opened(bench.client);
    const offline = bench.open({ transport: () => Promise.reject(new Error("no network")) });
    await offline.memory.remember({ ...PALLET, log, size: [0, 0, 0] });
    await offline.memory.remember({ ...PALLET, log, seconds: undefined });
    await commit(log);
    const at = async (min: number, from_s: number): Promise<number[]> => {
      const asked = { ...BOX, log, min: [min, 11_000, 500], from_s };
      const { value } = await bench.client.memory.recall({ ...asked, until_s: from_s + 1 });
      return value.atoms.map(({ seq }) => seq);
    };
    expect(await at(41_000, 1_790_812_829)).toEqual([0, 1]);
    expect(await at(41_001, 1_790_812_829)).toEqual([1]);
    expect(await at(41_599, 1_790_812_830)).toEqual([1]);
    expect(await at(41_600, 1_790_812_830)).toEqual([]);
    const { value } = await bench.client.memory.recall({ ...BOX, log, from_s: 1_790_812_850 });
    expect(value.atoms.map(({ valid_until_s }) => valid_until_s)).toEqual([null]);
  });

  it("refuses atoms and boxes that cannot be, in one sentence", async () => {
    const log = await opened(bench.client);
    const { memory } = bench.client;
    const atom = (more: Partial<NewAtom>) => memory.remember({ ...PALLET, log, ...more });
    await expect(atom({ at: [1, 2] })).rejects.toThrow("a point has three coordinates");
    await expect(atom({ frame: undefined })).rejects.toThrow("give both, at and frame");
    await expect(atom({ seconds: 0 })).rejects.toThrow("cannot hold for 0 seconds");
    await expect(atom({ size: [-1, 0, 0] })).rejects.toThrow("cannot be below 0");
    await expect(atom({ kind: "A B" })).rejects.toThrow("kind must be lower-case letters");
    await expect(atom({ confidence_permille: 1001 })).rejects.toThrow("over 1000 thousandths");
    await expect(atom({ subject: "x".repeat(257) })).rejects.toMatchObject({ code: "argument" });
    await expect(memory.recall({ ...BOX, log, until_s: BOX.from_s })).rejects.toThrow("is empty");
    expect(await memory.list()).toMatchObject([{ size: 0 }]);
    await expect(commit(log)).rejects.toThrow("is committed: remember something first");
    await expect(memory.remember({ ...PALLET, wallet: "bob", log }))
      .rejects.toThrow(`wallet bob has no memory log ${log.slice(0, 8)}`);
  });

  it("seals a log for good [L-439 L-444]", async () => {
    const log = await opened(bench.client);
    await remember(log, PALLET);
    expect(await commit(log, true)).toMatchObject({ status: "Success" });
    await expect(remember(log, DOOR)).rejects.toMatchObject({ code: "memory-sealed" });
    await expect(commit(log)).rejects.toMatchObject({ code: "memory-sealed" });
  });

  it("signs commits at once from where the one before ends [L-407]", async () => {
    const log = await opened(bench.client);
    await remember(log, PALLET);
    bench.chain.stalled = true;
    const first = commit(log);
    while (bench.chain.units.size < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await remember(log, DOOR);
    const second = commit(log);
    while (bench.chain.units.size < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    bench.chain.stalled = false;
    bench.chain.executePulse();
    for (const outcome of await Promise.all([first, second])) {
      expect(outcome.status).toBe("Success");
    }
    expect((await bench.client.memory.recall({ ...BOX, log })).value.as_of.size).toBe(2);
  });

  it("freezes an agent's log while the agent is suspended [L-408..L-410 L-584]", async () => {
    const { client } = bench;
    const { agent } = await client.createAgent({ principal: "bob", wallet: "alice" });
    const log = await opened(client, { agent });
    await remember(log, PALLET);
    const standing = (kind: string) =>
      client.transact({ wallet: "bob", actions: [{ kind, body: { agent } }] });
    await standing("agent_suspend");
    expect((await commit(log)).status).toEqual({
      Failed: expect.stringContaining("is not in good standing: agent suspended") as string,
    });
    await standing("agent_resume");
    expect((await commit(log)).status).toBe("Success");
  });

  it("verify() believes neither the node nor who recalled [L-446 L-447]", async () => {
    const log = await opened(bench.client);
    await remember(log, PALLET, DOOR);
    await commit(log);
    const old = await bench.client.memory.recall({ ...BOX, log });
    const elsewhere = mkdtempSync(join(tmpdir(), "sion-verify-"));
    try {
      const other = bench.open({ home: elsewhere, chain: bench.chain.chain });
      const check = (proof: Uint8Array, more: Partial<MemoryBox> = {}) =>
        other.memory.verify({ ...BOX, ...more, log, proof });
      expect(await check(old.proof)).toEqual(old.value);
      const empty = await bench.client.memory.recall({ ...BOX, log, frame: "yard" });
      expect(await check(empty.proof, { frame: "yard" })).toEqual(empty.value);
      // An answer to another question, a byte changed, bytes left out.
      const lies: [Uint8Array, Partial<MemoryBox>?][] = [
        [empty.proof],
        [old.proof, { max: [41_500, 12_000, 3_000], until_s: 1_790_812_830 + 5, frame: "yard" }],
        [old.proof.map((byte, at) => at === old.proof.length - 1 ? byte ^ 1 : byte)],
        [old.proof.subarray(0, -1)],
      ];
      for (const [proof, more] of lies) {
        await expect(check(proof, more)).rejects.toMatchObject({ code: "not-proven" });
      }
      // Of an old head, and of another log.
      await remember(log, { ...PALLET, subject: "pallet-18" });
      await commit(log);
      await expect(check(old.proof)).rejects.toMatchObject({ code: "not-proven" });
      await expect(other.memory.recall({ ...BOX, log }))
        .rejects.toMatchObject({ code: "memory-elsewhere" });
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it("a node that shows another head is caught where the chain is pinned [L-446]", async () => {
    const log = await opened(bench.client);
    await remember(log, PALLET);
    await commit(log);
    const { proof } = await bench.client.memory.recall({ ...BOX, log });
    await remember(log, DOOR);
    await commit(log);
    const pinned = bench.open({ chain: bench.chain.chain });
    expect((await pinned.memory.recall({ ...BOX, log })).value.as_of.size).toBe(2);
    // What the log held once is no answer any more, and a log of other atoms never was one.
    await expect(pinned.memory.verify({ ...BOX, log, proof }))
      .rejects.toMatchObject({ code: "not-proven" });
    const forged = proveRecall(
      indexOf([atomOf(), atomOf()]),
      2,
      boxOf([0, 0, 0], [1, 1, 1], 0, 1),
      9,
    );
    await expect(pinned.memory.verify({ ...BOX, log, proof: forged }))
      .rejects.toMatchObject({ code: "not-proven" });
  });

  it("a file that does not hold what the ledger has the root of is not committed or recalled", async () => {
    const log = await opened(bench.client);
    await remember(log, PALLET);
    await commit(log);
    const home = mkdtempSync(join(tmpdir(), "sion-other-"));
    try {
      const other = bench.open({ home });
      {
        using store = openMemoryStores(home).open(log);
        store.append([encodeAtom(atomOf())]);
      }
      const body = { wallet: "alice", log };
      await expect(other.memory.recall({ ...BOX, log }))
        .rejects.toThrow("are not those that the ledger has the root of");
      await other.memory.remember({ ...DOOR, ...body });
      await expect(other.memory.commit(body)).rejects.toMatchObject({ code: "not-proven" });
      // The log's own file goes on anywhere.
      mkdirSync(join(home, "memory"), { recursive: true });
      copyFileSync(join(bench.home, "memory", `${log}.db`), join(home, "memory", `${log}.db`));
      for (const end of ["-wal", "-shm"]) {
        rmSync(join(home, "memory", `${log}.db${end}`), { force: true });
      }
      await other.memory.remember({ ...DOOR, ...body });
      expect((await other.memory.commit(body)).status).toBe("Success");
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
