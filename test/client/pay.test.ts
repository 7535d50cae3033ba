import { describe, expect, it } from "vitest";
import type { Client, Signing } from "#internal/client/mod.ts";
import { USD as ASSET } from "#internal/ledger/mod.ts";
import { USD, useBench, waitFor } from "./bench.ts";
import { FakeChain } from "./fake_chain.ts";

describe("Client.pay()", () => {
  const bench = useBench();

  it("pay() answers with the receipt of an executed payment [L-156 L-157 L-158 L-159 L-160 L-161]", async () => {
    const signed: Signing[] = [];
    const outcome = await bench.client.pay({
      from: "alice",
      to: "bob",
      amount: 1_500_000n,
      onSign: (signing) => void signed.push(signing),
    });
    expect(outcome).toMatchObject({
      fee: "0.0011",
      pulse: 4,
      receipt: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
      status: "Success",
    });
    expect(signed[0]?.intent).toBe("Pay 1.5 USD to bob. Fee 0.0011 USD; valid until Pulse 23.");
    expect(signed[0]?.digest).toBe(outcome.digest);
    expect(bench.chain.balance(await bench.chain.accountOf("bob"))).toBe(10_001_500_000n);
    expect(bench.notes).toEqual([]);
  });

  it("pay() tells who signs and what before anything is sent, and what that throws sends nothing [L-097 L-100]", async () => {
    const paying = bench.client.pay({
      from: "alice",
      to: "bob",
      amount: USD,
      onSign() {
        expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
        throw new Error("no");
      },
    });
    await expect(paying).rejects.toThrow("no");
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
    const later = await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    expect(bench.chain.receipts.get(later.digest)?.sequence).toBe(0n);
  });

  it("pay() says when the ledger has never seen the payee", async () => {
    await bench.client.pay({ from: "alice", to: "dave", amount: USD });
    expect(bench.notes).toEqual(["the ledger has never seen dave: paying makes the account"]);
  });

  it.each([
    [
      "alcie",
      "bob",
      "alcie has no money on this chain, did you mean alice: `sion faucet alcie 10` gives it some",
    ],
    ["zebra", "bob", "zebra has no money on this chain: `sion faucet zebra 10` gives it some"],
    [
      "alice",
      "bob.eth",
      "bob.eth is neither a wallet name nor an account: give a name or 64 hex digits; nothing was sent",
    ],
    [
      "alice",
      "",
      '"" is neither a wallet name nor an account: give a name or 64 hex digits; nothing was sent',
    ],
  ])("pay() from %j to %j sends nothing and says why [L-162]", async (from, to, message) => {
    await expect(bench.client.pay({ from, to, amount: USD })).rejects.toThrow(message);
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
  });

  it("pay() beyond the balance sends nothing and says what is missing [L-162]", async () => {
    const paying = bench.client.pay({ from: "alice", to: "bob", amount: 10_000n * USD });
    await expect(paying).rejects.toThrow(
      "alice has 10000 USD, this needs 10000.0011 (10000 and the fee of 0.0011): " +
        "pay less or add money; nothing was sent",
    );
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
  });

  it("pay() counts what waits already as spent", async () => {
    bench.chain.stalled = true;
    const first = bench.client.pay({ from: "alice", to: "bob", amount: 9_999n * USD });
    await waitFor(() => bench.chain.units.size === 1);
    await expect(bench.client.pay({ from: "alice", to: "bob", amount: USD }))
      .rejects.toThrow(/^alice has 0\.9989 USD, this needs 1\.0011/);
    bench.chain.stalled = false;
    bench.chain.executePulse();
    expect((await first).status).toBe("Success");
  });

  it("pay() from a wallet without a file is refused where names mean nothing [L-068 L-069 L-609]", async () => {
    bench.chain = await FakeChain.start({ chainId: "sion-main" });
    bench.client = bench.open();
    await bench.client.wallets.create("alice");
    await expect(bench.client.pay({ from: "alcie", to: "bob", amount: USD })).rejects.toThrow(
      "there is no wallet bob here: `sion wallet list` shows yours",
    );
    const to = "ab".repeat(32);
    await expect(bench.client.pay({ from: "alcie", to, amount: USD })).rejects.toThrow(
      "there is no wallet alcie here, did you mean alice: `sion wallet list` shows yours",
    );
  });

  it("pay() takes a wallet's file before the devnet's wallet of that name [L-065 L-066 L-067 L-608]", async () => {
    await bench.client.wallets.import("alice", new Uint8Array(32).fill(9));
    await expect(bench.client.pay({ from: "alice", to: "bob", amount: USD })).rejects.toThrow(
      "alice has no money on this chain: `sion faucet alice 10` gives it some",
    );
    await bench.client.faucet("alice", 10n * USD);
    await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    expect(bench.chain.balance(await bench.chain.accountOf("alice"))).toBe(10_000n * USD);
  });

  it("pay() refuses a node of another chain than the pinned one", async () => {
    const pinned = bench.open({ chain: "63456555".padEnd(64, "0") });
    await expect(pinned.pay({ from: "alice", to: "bob", amount: USD })).rejects.toThrow(
      `this node serves chain ${bench.chain.chain.slice(0, 8)}, not the pinned 63456555: ` +
        "give the --node of your chain",
    );
    const near = `${bench.chain.chain.slice(0, 9)}${"f".repeat(55)}`;
    await expect(bench.open({ chain: near }).pay({ from: "alice", to: "bob", amount: USD }))
      .rejects.toThrow(
        `serves chain ${bench.chain.chain.slice(0, 10)}, not the pinned ${near.slice(0, 10)}: `,
      );
  });

  it("pay() thirty-two times at once succeeds thirty-two times, each in a slot of its own", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 32 }, () => bench.client.pay({ from: "alice", to: "bob", amount: USD })),
    );
    expect(outcomes.every(({ status }) => status === "Success")).toBe(true);
    expect(new Set(outcomes.map(({ digest }) => digest)).size).toBe(32);
    expect(bench.chain.balance(await bench.chain.accountOf("bob"))).toBe(10_032n * USD);
  });

  it("pay() two hundred times at once signs none for Pulses that have passed", async () => {
    const first = bench.chain.pulse;
    let submits = 0;
    bench.chain.before = (method) => {
      if (method === "submit" && ++submits % 4 === 0) bench.chain.pulse++;
    };
    const outcomes = await Promise.all(
      Array.from(
        { length: 200 },
        () => bench.client.pay({ from: "alice", to: "bob", amount: USD }),
      ),
    );
    expect(outcomes.every(({ status }) => status === "Success")).toBe(true);
    // More Pulses than a transaction has.
    expect(bench.chain.pulse - first).toBeGreaterThan(50n);
    expect(bench.chain.balance(await bench.chain.accountOf("bob"))).toBe(10_200n * USD);
  });

  it("pay() gives its place in the line up when it is stopped", async () => {
    bench.chain.stalled = true;
    const payment = { from: "alice", to: "bob", amount: USD };
    const first = Array.from({ length: 17 }, () => bench.client.pay(payment));
    await waitFor(() => bench.chain.units.size === 16);
    const stop = new AbortController();
    const stopped = bench.client.pay({ ...payment, signal: stop.signal });
    const last = bench.client.pay(payment);
    await waitFor(() => bench.chain.calls.length > 40);
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    bench.chain.stalled = false;
    bench.chain.executePulse();
    await Promise.all([...first, last]);
    expect(bench.chain.receipts.size).toBe(18);
  });

  it("pay() signs at most sixteen sequences ahead of the ledger", async () => {
    bench.chain.stalled = true;
    const all = Array.from(
      { length: 20 },
      () => bench.client.pay({ from: "alice", to: "bob", amount: USD }),
    );
    await waitFor(() => bench.chain.units.size >= 16);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(bench.chain.units.size).toBe(16);
    bench.chain.stalled = false;
    bench.chain.executePulse();
    await Promise.all(all);
    expect(bench.chain.receipts.size).toBe(20);
  });

  it("two clients of one home never use a sequence twice", async () => {
    const other = bench.open();
    const pay = (from: Client) => from.pay({ from: "alice", to: "bob", amount: USD });
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, i) => pay(i % 2 === 0 ? bench.client : other)),
    );
    expect(outcomes.every(({ status }) => status === "Success")).toBe(true);
    expect(bench.chain.receipts.size).toBe(12);
  });

  it("transact() makes units in order, or one batch whose members pay less each [L-095 L-096 L-573]", async () => {
    const body = { asset: ASSET, outputs: [[await bench.chain.accountOf("bob"), USD]] };
    const actions = [1, 2, 3].map(() => ({ kind: "pay", body }));
    const singly = await bench.client.transact({ wallet: "alice", actions });
    expect(singly.map(({ fee }) => fee)).toEqual(["0.0011", "0.0011", "0.0011"]);
    const signed: Signing[] = [];
    const together = await bench.client.transact({
      wallet: "alice",
      actions,
      batch: true,
      onSign: (signing) => void signed.push(signing),
    });
    expect(together.map(({ fee }) => fee)).toEqual(["0.000567", "0.000567", "0.000567"]);
    expect(signed).toHaveLength(1);
    expect(new Set(together.map(({ pulse }) => pulse)).size).toBe(1);
    const next = await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    expect(bench.chain.receipts.get(next.digest)?.sequence).toBe(6n);
    expect(await bench.client.transact({ wallet: "alice", actions: [] })).toEqual([]);
  });
});
