/** Lists of payments under few signatures, whole and broken off. */
import process from "node:process";
import { describe, expect, it } from "vitest";
import type { BatchPayment, BatchSigning } from "#internal/client/mod.ts";
import { openClientState } from "#internal/store/mod.ts";
import { USD, useBench } from "./bench.ts";

describe("Client.payBatch()", () => {
  const bench = useBench();

  const listOf = (count: number, first = 1): BatchPayment["payments"] =>
    Array.from(
      { length: count },
      (_, at) => ({ to: "bob", amount: BigInt(first + at) * USD / 100n }),
    );
  const batch = (count: number): BatchPayment => ({ from: "alice", payments: listOf(count) });
  /** Receipts of payments; each is in a slot of its own. */
  const paid = (): number => bench.chain.receipts.size;

  /**
   * Pays with a client that stops, as `kill -9` would, when it hands a unit in: the n-th, which the
   * node has then or has not.
   */
  async function dieAtSubmit(
    request: BatchPayment,
    nth: number,
    when: "before" | "after",
  ): Promise<void> {
    const dying = bench.open();
    const stop = new AbortController();
    let submitted = 0;
    const look = (method: string): void => {
      if (method !== "submit" || ++submitted < nth) return;
      stop.abort(new Error("killed"));
      throw stop.signal.reason;
    };
    bench.chain[when] = look;
    await expect(dying.payBatch({ ...request, signal: stop.signal })).rejects.toThrow("killed");
    bench.chain.before = () => {};
    bench.chain.after = () => {};
    dying[Symbol.dispose]();
    bench.notes.length = 0;
  }

  it("pays a list under one signature, each payment at its share of the fee [L-095 L-096 L-571 L-573]", async () => {
    const signed: BatchSigning[] = [];
    const told: number[] = [];
    const { outcomes, earlier } = await bench.client.payBatch({
      ...batch(3),
      onSign: (signing) => void signed.push(signing),
      onOutcome: (_, index) => void told.push(index),
    });
    expect(outcomes.map(({ fee, receipt }) => [fee, receipt])).toEqual([
      ["0.000567", "Done: paid 0.01 USD to bob; fee 0.000567 USD."],
      ["0.000567", "Done: paid 0.02 USD to bob; fee 0.000567 USD."],
      ["0.000567", "Done: paid 0.03 USD to bob; fee 0.000567 USD."],
    ]);
    expect(signed).toMatchObject([
      { part: 1, parts: 1, payments: 3, amount: 60_000n, fee: 1701n, wallet: "alice" },
    ]);
    expect([told, earlier]).toEqual([[0, 1, 2], 0]);
    expect(bench.chain.calls.filter(({ method }) => method === "submit")).toHaveLength(1);
  });

  it("makes several units of more than 128 payments, in order", async () => {
    const signed: BatchSigning[] = [];
    const { outcomes } = await bench.client.payBatch({
      ...batch(300),
      onSign: (signing) => void signed.push(signing),
    });
    expect(signed.map(({ part, parts, payments }) => [part, parts, payments])).toEqual([
      [1, 3, 128],
      [2, 3, 128],
      [3, 3, 44],
    ]);
    expect(new Set(outcomes.map(({ fee }) => fee))).toEqual(new Set(["0.000307", "0.000319"]));
    const sequences = outcomes.map(({ digest }) => bench.chain.receipts.get(digest)?.sequence);
    expect(sequences).toEqual(Array.from({ length: 300 }, (_, at) => BigInt(at)));
    expect(outcomes[299]?.receipt).toMatch(/^Done: paid 3 USD to bob; /);
  });

  it.each<[string, BatchPayment["payments"], RegExp]>([
    ["nobody", [], /^the list has no payments: give one or more$/],
    [
      "a payee that is none",
      [{ to: "bob", amount: 1n }, { to: "bob.eth", amount: 1n }],
      /^payment 2: bob\.eth is neither a wallet name nor an account: .*; nothing was sent$/,
    ],
    [
      "an amount of nothing",
      [{ to: "bob", amount: 0n, source: "list line 7" }],
      /^list line 7: an amount must be above 0; nothing was sent$/,
    ],
    [
      "more than there is, together",
      [{ to: "bob", amount: 6_000n * USD }, { to: "carol", amount: 6_000n * USD }],
      /^alice has 10000 USD, this needs 12000\.0014 .*; nothing was sent$/,
    ],
  ])("sends nothing of a list with %s, and can be given another", async (_, payments, fault) => {
    await expect(bench.client.payBatch({ from: "alice", payments })).rejects.toThrow(fault);
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
    expect((await bench.client.payBatch(batch(2))).outcomes).toHaveLength(2);
  });

  it("checks all units of a list against the money before it signs the first", async () => {
    const payments = Array.from({ length: 200 }, () => ({ to: "bob", amount: 51n * USD }));
    const signed: BatchSigning[] = [];
    const paying = bench.client.payBatch({
      from: "alice",
      payments,
      onSign: (signing) => void signed.push(signing),
    });
    await expect(paying).rejects.toThrow(/^alice has 10000 USD, this needs 10200\.06176 /);
    expect(signed).toEqual([]);
  });

  it("says which payees the ledger has never seen, once", async () => {
    const payments = ["dave", "bob", "dave", "erin"].map((to) => ({ to, amount: 1n }));
    await bench.client.payBatch({ from: "alice", payments });
    expect(bench.notes).toEqual([
      "the ledger has never seen dave, erin: paying makes the accounts",
    ]);
  });

  it.each<[number, "before" | "after"]>([
    [1, "before"],
    [1, "after"],
    [3, "before"],
    [4, "after"],
  ])("goes on after a crash %s units in, %s the node had it: nothing twice", async (nth, when) => {
    const request = batch(400);
    await dieAtSubmit(request, nth, when);
    const { outcomes } = await bench.client.payBatch(request);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(400).fill("Success"));
    expect(outcomes.map(({ receipt }) => receipt.split(" ")[2])).toEqual(
      listOf(400).map(({ amount }) => String(Number(amount) / 1e6)),
    );
    expect(paid()).toBe(400);
  });

  it("tells a list that was made, and not told, without paying it again", async () => {
    const request = batch(3);
    const first = await bench.client.payBatch(request);
    // Ended here, before anybody was told: the money is gone by now.
    const again = bench.open();
    const told: string[] = [];
    const second = await again.payBatch({ ...request, onOutcome: (o) => void told.push(o.digest) });
    expect(second).toEqual({ ...first, earlier: 3 });
    expect(told).toEqual(first.outcomes.map(({ digest }) => digest));
    expect(paid()).toBe(3);
    expect(bench.notes).toEqual([
      expect.stringMatching(/^batch [0-9a-f]{8}: 3 of 3 payments were made already$/),
    ]);
  });

  it("refuses a list that was told, unless it is asked for again", async () => {
    const request = batch(2);
    await bench.client.endBatch((await bench.client.payBatch(request)).batch);
    await expect(bench.client.payBatch(request)).rejects.toThrow(
      /^alice made these 2 payments before, on \d{4}-\d\d-\d\d as batch [0-9a-f]{8}: give --again /,
    );
    expect(paid()).toBe(2);
    await bench.client.payBatch({ ...request, again: true });
    expect(paid()).toBe(4);
  });

  it("refuses another list while one is not finished: it may hold the same payments", async () => {
    await dieAtSubmit(batch(200), 1, "before");
    const other: BatchPayment = { from: "alice", payments: [...listOf(200), ...listOf(1)] };
    await expect(bench.client.payBatch(other)).rejects.toThrow(
      /^alice has begun batch [0-9a-f]{8} of 200 payments and not finished it: /,
    );
    const { outcomes } = await bench.client.payBatch({ ...other, again: true });
    expect(outcomes).toHaveLength(201);
  });

  it("gives way to another process that pays the same list", async () => {
    bench.chain.stalled = true;
    const request = batch(2);
    const stop = new AbortController();
    const first = bench.client.payBatch({ ...request, signal: stop.signal });
    await expect.poll(() => bench.chain.units.size).toBe(1);
    // A process that runs, which this one is not.
    const state = openClientState(bench.home);
    for (const unit of state.pendingOf(bench.chain.chain)) {
      await state.touch(unit, process.ppid, Date.now());
    }
    state.close();
    await expect(bench.open().payBatch(request)).rejects.toThrow(
      /^another sion process pays batch [0-9a-f]{8}: /,
    );
    stop.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    expect(bench.chain.units.size).toBe(1);
  });

  it("signs anew what expired, at the same place of the list", async () => {
    const request = batch(2);
    await dieAtSubmit(request, 1, "before");
    for (let pulses = 0; pulses < 25; pulses++) bench.chain.executePulse();
    const { outcomes } = await bench.client.payBatch(request);
    expect(outcomes.map(({ status }) => status)).toEqual(["Success", "Success"]);
    expect(paid()).toBe(2);
    expect(bench.notes.some((note) => /was not executed by Pulse 23/.test(note))).toBe(true);
  });

  it("signBatchOffline() signs the units that another machine may send, in order", async () => {
    const units = await bench.client.signBatchOffline(batch(130));
    expect(units.map(({ intent }) => /^\d+ transactions in one batch: /.test(intent))).toEqual([
      true,
      true,
    ]);
    expect(paid()).toBe(0);
    for (const { tx } of units) await bench.client.submitHex(tx);
    expect(paid()).toBe(130);
  });
});
