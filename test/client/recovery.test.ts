/** What happens when a process, a node or another holder of the wallet gets in the way. */
import process from "node:process";
import { describe, expect, it } from "vitest";
import { fromHex } from "#internal/core/mod.ts";
import { RpcError } from "#internal/rpc/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { ClientState, PendingUnit } from "#internal/store/mod.ts";
import { openClientState } from "#internal/store/mod.ts";
import { USD, useBench, waitFor } from "./bench.ts";
import { shareOf } from "../share.ts";

const payment = { from: "alice", to: "bob", amount: USD };
const gone = (): never => {
  throw new SionError("node-unreachable", "no node answers");
};

describe("Client", () => {
  const bench = useBench();

  /** Stops a client between keeping a unit and sending it, as `kill -9` would. */
  async function crashBeforeSending(): Promise<string> {
    const dying = bench.open();
    let digest = "";
    const stop = new AbortController();
    bench.chain.before = (method) => {
      if (method === "submit") stop.abort(new Error("killed"));
    };
    const paying = dying.pay({
      ...payment,
      signal: stop.signal,
      onSign: (signing) => void (digest = signing.digest),
    });
    bench.chain.stalled = true;
    await paying.catch(() => {});
    bench.chain.before = () => {};
    bench.chain.stalled = false;
    bench.chain.units.clear();
    dying[Symbol.dispose]();
    return digest;
  }

  const openState = (): ClientState & Disposable => {
    const state = openClientState(bench.home);
    return Object.assign(state, { [Symbol.dispose]: () => state.close() });
  };

  it("pay() first finishes, with the same bytes, what an ended process had signed", async () => {
    const digest = await crashBeforeSending();
    expect(bench.chain.receipts.size).toBe(0);
    const outcome = await bench.client.pay({ ...payment, amount: 2n * USD });
    expect([...bench.chain.receipts.keys()]).toEqual([digest, outcome.digest]);
    expect(bench.chain.receipts.get(digest)?.sequence).toBe(0n);
    expect(bench.notes).toEqual([
      expect.stringMatching(/^unfinished transaction of alice, sent again: Pay 1 USD to bob\. /),
      "Pulse 4: Done: paid 1 USD to bob; fee 0.0011 USD.",
    ]);
  });

  it("settle() finishes a payment whose process ended, once", async () => {
    const digest = await crashBeforeSending();
    const outcome = await bench.client.settle(digest);
    expect(outcome).toMatchObject({ digest, receipt: "Done: paid 1 USD to bob; fee 0.0011 USD." });
    expect((await bench.client.settle(digest))?.pulse).toBe(outcome?.pulse);
    expect(bench.chain.balance(await bench.chain.accountOf("bob"))).toBe(10_001n * USD);
  });

  it("settle() answers undefined for what was never kept and never will execute", async () => {
    expect(await bench.client.settle("ab".repeat(32))).toBeUndefined();
  });

  it("receipt() finishes what was left behind before it answers", async () => {
    const digest = await crashBeforeSending();
    expect(await bench.client.receipt(digest)).toMatchObject({
      chain: bench.chain.chain,
      chain_pinned: false,
      digest,
      outcome: "success",
      receipt: "Done: paid 1 USD to bob; fee 0.0011 USD.",
      verified: true,
    });
  });

  it("pay() frees the slot of a unit that expired unsent, and goes on in it", async () => {
    const digest = await crashBeforeSending();
    bench.chain.pulse = 100n;
    const outcome = await bench.client.pay({ ...payment, amount: 2n * USD });
    expect(bench.chain.receipts.get(outcome.digest)?.sequence).toBe(0n);
    expect(bench.chain.receipts.has(digest)).toBe(false);
    expect(bench.notes[1]).toBe(
      `transaction ${digest.slice(0, 8)} was not executed by Pulse 23 and never will be: ` +
        "make it anew; it cost nothing",
    );
  });

  it("pay() hands the same bytes in again when the node was gone for a moment", async () => {
    let refusals = 3;
    bench.chain.before = (method) => {
      if (method === "submit" && refusals-- > 0) gone();
    };
    const outcome = await bench.client.pay(payment);
    expect(outcome.status).toBe("Success");
    const sent = bench.chain.calls.filter(({ method }) => method === "submit");
    expect(sent.length).toBe(4);
    expect(new Set(sent.map(({ params }) => params["tx"])).size).toBe(1);
  });

  it("pay() says soon that the node reaches no validator, and the unit is handed in later", async () => {
    let nowMs = 0;
    const client = bench.open({ clock: { nowMs: () => (nowMs += 1_000) } });
    bench.chain.before = (method) => {
      if (method === "submit") throw new RpcError("unconnected", "this node is alone");
    };
    let digest = "";
    const paying = client.pay({ ...payment, onSign: (signing) => void (digest = signing.digest) });
    const error = await paying.catch((thrown: unknown) => thrown) as SionError;
    expect(error.code).toBe("answer-lost");
    expect(error.message).toBe(
      `this node is connected to no validator, ${digest.slice(0, 8)} waits here: give another ` +
        `--node, ask \`sion receipt ${digest}\`, do not pay again`,
    );
    expect(bench.chain.calls.filter(({ method }) => method === "submit").length).toBeLessThan(6);
    const state = openClientState(bench.home);
    expect(state.pendingOf(bench.chain.chain)).toHaveLength(1);
    state.close();
    bench.chain.before = () => {};
    await bench.open().pay({ ...payment, amount: 2n * USD });
    expect(bench.chain.receipts.has(digest)).toBe(true);
  });

  it("pay() says that the answer is lost when the node stays gone, and keeps the unit", async () => {
    let nowMs = 0;
    const client = bench.open({ clock: { nowMs: () => (nowMs += 4_000) } });
    bench.chain.before = (method) => {
      if (method === "receipt") gone();
    };
    bench.chain.stalled = true;
    let digest = "";
    const paying = client.pay({ ...payment, onSign: (signing) => void (digest = signing.digest) });
    const error = await paying.catch((thrown: unknown) => thrown) as SionError;
    expect(error.code).toBe("answer-lost");
    expect(error.message).toBe(
      `the node stopped answering after it took ${digest.slice(0, 8)}: ` +
        `ask \`sion receipt ${digest}\`, do not pay again`,
    );
    const state = openClientState(bench.home);
    expect(state.pendingOf(bench.chain.chain)).toHaveLength(1);
    state.close();
    bench.chain.before = () => {};
    bench.chain.stalled = false;
    bench.chain.executePulse();
    expect((await bench.client.receipt(digest)).outcome).toBe("success");
  });

  /** A node that goes on to answer, while its clock runs, that the unit is not executed. */
  function standStill(): { clock: { nowMs(): number } } {
    let nowMs = 0;
    bench.chain.stalled = true;
    bench.chain.before = (method, params) => {
      if (method !== "receipt") return;
      nowMs += 4_000;
      const { digest } = params;
      if (!bench.chain.receipts.has(String(digest))) {
        bench.chain.answers.set("receipt", { digest, state: "pending" });
      } else bench.chain.answers.delete("receipt");
    };
    return { clock: { nowMs: () => nowMs } };
  }

  function goOn(): void {
    bench.chain.before = () => {};
    bench.chain.answers.delete("receipt");
    bench.chain.stalled = false;
    bench.chain.executePulse();
  }

  it("pay() says that the chain has not moved for a minute, and keeps the unit", async () => {
    const client = bench.open(standStill());
    let digest = "";
    const paying = client.pay({ ...payment, onSign: (signing) => void (digest = signing.digest) });
    const error = await paying.catch((thrown: unknown) => thrown) as SionError;
    expect([error.code, error.message]).toEqual([
      "stalled",
      `the chain has not moved for 60 s, ${digest.slice(0, 8)} was sent and may still execute: ` +
      `ask \`sion receipt ${digest}\`, do not pay again`,
    ]);
    goOn();
    expect((await bench.client.receipt(digest)).outcome).toBe("success");
  });

  it("pay() goes on waiting while Pulses come", async () => {
    const options = standStill();
    const hold = bench.chain.before;
    let asked = 0;
    bench.chain.before = async (method, params) => {
      await hold(method, params);
      if (method !== "receipt") return;
      asked++;
      if (asked % 10 === 0) bench.chain.pulse++;
      if (asked === 100) goOn();
    };
    const outcome = await bench.open(options).pay({ ...payment, validForPulses: 100 });
    expect([outcome.status, asked]).toEqual(["Success", 100]);
  });

  it("pay() with resume finishes the same payment that was left behind, and pays no more", async () => {
    const digest = await crashBeforeSending();
    const told: string[] = [];
    const outcome = await bench.client.pay({
      ...payment,
      resume: true,
      onOutcome: ({ receipt }) => void told.push(receipt),
    });
    expect([outcome.digest, told]).toEqual([digest, [
      "Done: paid 1 USD to bob; fee 0.0011 USD.",
    ]]);
    expect(bench.chain.receipts.size).toBe(1);
    expect(bench.notes).toEqual([
      expect.stringMatching(/^unfinished transaction of alice, sent again: Pay 1 USD to bob\. /),
      "this was the payment that was left unfinished, nothing more was paid: give --again to pay " +
      "once more",
    ]);
    await bench.client.pay({ ...payment, resume: true });
    expect(bench.chain.receipts.size).toBe(2);
  });

  it.each([
    ["of another amount", { ...payment, amount: 2n * USD }],
    ["to another account", { ...payment, to: "dana" }],
  ])("pay() with resume pays as well what is %s", async (_what, other) => {
    await crashBeforeSending();
    await bench.client.pay({ ...other, resume: true });
    expect(bench.chain.receipts.size).toBe(2);
  });

  it("pay() with resume pays anew when what was left behind never executes", async () => {
    const digest = await crashBeforeSending();
    bench.chain.pulse = 100n;
    const outcome = await bench.client.pay({ ...payment, resume: true });
    expect(outcome.digest).not.toBe(digest);
    expect([...bench.chain.receipts.keys()]).toEqual([outcome.digest]);
  });

  it("pay() waits for a busy node, which has taken nothing", async () => {
    let refusals = 2;
    bench.chain.before = (method) => {
      if (method === "submit" && refusals-- > 0) {
        throw new RpcError("busy", "too much waits", { data: { retry_after_ms: 1 } });
      }
    };
    expect((await bench.client.pay(payment)).status).toBe("Success");
  });

  it("pay() tells a refusal of the node's and frees the slot", async () => {
    bench.chain.refusal = "its fee is too low";
    await expect(bench.client.pay(payment)).rejects.toThrow(
      "the node refused the transaction: its fee is too low; nothing was done",
    );
    bench.chain.refusal = undefined;
    const outcome = await bench.client.pay(payment);
    expect(bench.chain.receipts.get(outcome.digest)?.sequence).toBe(0n);
  });

  it("pay() hands in what another process leaves behind while it waits", async () => {
    const digest = await crashBeforeSending();
    using state = openState();
    const [left] = state.pendingOf(bench.chain.chain);
    await state.touch(left as PendingUnit, process.ppid, Date.now());
    const mine = bench.client.pay({ ...payment, amount: 2n * USD });
    await waitFor(() => bench.chain.units.size === 1);
    // Held up by the first; no process has this id.
    await state.touch(left as PendingUnit, 2 ** 30, Date.now());
    bench.chain.executePulse();
    expect((await mine).status).toBe("Success");
    expect([...bench.chain.receipts.keys()][0]).toBe(digest);
    expect(bench.chain.receipts.size).toBe(2);
  });

  it("pay() completes the unit that holds its slot, then goes next", async () => {
    const elsewhere = await bench.client.signOffline({ ...payment, amount: 5n * USD });
    bench.chain.stalled = true;
    bench.chain.take(bench.chain.ledger.decodeSigned(fromHex(elsewhere.tx)));
    const paying = bench.client.pay(payment);
    await waitFor(() => bench.chain.calls.some(({ method }) => method === "submit"));
    bench.chain.stalled = false;
    bench.chain.executePulse();
    const outcome = await paying;
    expect(bench.chain.receipts.get(elsewhere.digest)?.sequence).toBe(0n);
    expect(bench.chain.receipts.get(outcome.digest)?.sequence).toBe(1n);
    expect(bench.chain.balance(await bench.chain.accountOf("bob"))).toBe(10_006n * USD);
  });

  it("pay() tells that a transaction expired when no Pulse executed it in time [L-101]", async () => {
    bench.chain.stalled = true;
    const paying = bench.client.pay({ ...payment, validForPulses: 2 });
    await waitFor(() => bench.chain.units.size === 1);
    for (const known of bench.chain.units.values()) known.state = "expired";
    bench.chain.executePulse();
    await expect(paying).rejects.toMatchObject({ code: "expired" });
  });

  it("pay() names what it waits for while it waits, and nothing afterwards", async () => {
    const waits: (string | undefined)[] = [];
    const client = bench.open({ onWait: (what) => void waits.push(what) });
    await client.pay(payment);
    expect(waits[0]).toBe("Pulse 4");
    expect(waits.at(-1)).toBeUndefined();
  });

  it("pay() stops waiting when it is aborted; the unit stays kept and may execute", async () => {
    bench.chain.stalled = true;
    const stop = new AbortController();
    const paying = bench.client.pay({ ...payment, signal: stop.signal });
    await waitFor(() => bench.chain.units.size === 1);
    stop.abort(new Error("no longer needed"));
    await expect(paying).rejects.toThrow("no longer needed");
    const state = openClientState(bench.home);
    expect(state.pendingOf(bench.chain.chain)).toHaveLength(1);
    state.close();
  });

  it.each(shareOf([1, 2, 3]))(
    "payments of two clients over a bad line are each made once (seed %i)",
    async (seed) => {
      const random = pseudoRandom(seed);
      const lose = (method: string): void => {
        if ((method === "submit" || method === "receipt") && random() < 0.2) gone();
      };
      bench.chain.before = async (method) => {
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await Promise.resolve();
        lose(method);
      };
      bench.chain.after = lose;
      const other = bench.open();
      const outcomes = await Promise.all(
        Array.from(
          { length: 16 },
          (_, i) =>
            (i % 2 === 0 ? bench.client : other).pay({ ...payment, amount: BigInt(i + 1) * USD }),
        ),
      );
      bench.chain.before = bench.chain.after = () => {};
      expect(outcomes.map(({ status }) => status)).toEqual(Array(16).fill("Success"));
      expect(new Set(outcomes.map(({ digest }) => digest)).size).toBe(16);
      expect(bench.chain.receipts.size).toBe(16);
      expect(bench.chain.balance(await bench.chain.accountOf("bob"))).toBe(10_136n * USD);
    },
  );
});

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
