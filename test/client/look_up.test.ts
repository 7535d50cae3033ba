import { describe, expect, it } from "vitest";
import { accountKey } from "#internal/ledger/mod.ts";
import { USD, useBench } from "./bench.ts";

const bench = useBench();

describe("Client.readTransaction()", () => {
  it("readTransaction() tells what became of anybody's transaction, with its proof and its unit [L-601 L-602]", async () => {
    const paid = await bench.client.pay({ from: "alice", to: "bob", amount: 1_500_000n });
    const other = bench.open({ chain: bench.chain.chain });
    expect(await other.readTransaction(paid.digest)).toMatchObject({
      state: "executed",
      outcome: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
      proof: { kind: "proven", pulse: 4, pinned: true },
      receipt: { digest: paid.digest, kind: "pay" },
      unit: { members: 1, intent: expect.stringContaining("Pay 1.5 USD to bob.") },
    });
    expect(await bench.client.readTransaction(paid.digest)).toMatchObject({
      proof: { kind: "proven", pinned: false },
    });
  });

  it("readTransaction() tells states without a receipt, and sends nothing that was left behind [L-601]", async () => {
    bench.chain.stalled = true;
    const { tx, digest } = await bench.client.signOffline({
      from: "alice",
      to: "bob",
      amount: USD,
    });
    expect(await bench.client.readTransaction(digest)).toMatchObject({ state: "unknown" });
    await bench.client.submitHex(tx, { wait: false });
    bench.chain.calls.length = 0;
    expect(await bench.client.readTransaction(digest)).toMatchObject({ state: "pending" });
    expect(bench.chain.calls.map(({ method }) => method)).not.toContain("submit");
    await expect(bench.client.readTransaction("abc")).rejects.toMatchObject({ code: "argument" });
  });

  it("readTransaction() tells a receipt of a Pulse that is not certified, and one that is refuted [L-602]", async () => {
    const paid = await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    const status = await bench.client.status();
    bench.chain.answers.set("status", { ...status, certified_pulse: 3 });
    expect(await bench.client.readTransaction(paid.digest)).toMatchObject({
      state: "executed",
      proof: { kind: "waits", certified: 3 },
    });
    bench.chain.answers.delete("status");
    bench.chain.answers.set("receipt_proof", { bytes: "00" });
    expect(await bench.client.readTransaction(paid.digest)).toMatchObject({
      proof: { kind: "refuted", reason: expect.stringContaining("is not proven") },
    });
  });

  it("readTransaction() shows no unit that is not the receipt's [L-602]", async () => {
    const first = await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    const second = await bench.client.pay({ from: "alice", to: "bob", amount: 2n * USD });
    const told = await bench.client.rpc.receipt({ digest: first.digest, wait_ms: 0 });
    const other = await bench.client.rpc.receipt({ digest: second.digest, wait_ms: 0 });
    bench.chain.answers.set("receipt", { ...told, tx: other.tx });
    const reading = await bench.client.readTransaction(first.digest);
    expect(reading).not.toHaveProperty("unit");
    expect(reading).toMatchObject({ outcome: expect.stringContaining("executed") });
  });
});

describe("Client.readProven()", () => {
  it("readProven() proves what the newest certified state holds, and that it holds nothing [L-601 L-602]", async () => {
    await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    const bob = await bench.chain.accountOf("bob");
    expect(await bench.client.readProven(accountKey(bob as Parameters<typeof accountKey>[0])))
      .toMatchObject({
        proof: { kind: "proven", pulse: 4 },
        object: { kind: "account", members: { balances: [{ amount: 10_001_000_000n }] } },
      });
    const none = await bench.client.readProven("12".repeat(32));
    expect(none.proof.kind).toBe("proven");
    expect(none).not.toHaveProperty("object");
  });

  it("readProven() tells a proof that does not hold, and waits for none before anything is certified [L-602]", async () => {
    await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    bench.chain.answers.set("object_proof", { bytes: "00", number: 4 });
    expect((await bench.client.readProven("12".repeat(32))).proof).toMatchObject({
      kind: "refuted",
    });
    const status = await bench.client.status();
    bench.chain.answers.set("status", { ...status, certified_pulse: 0 });
    expect((await bench.client.readProven("12".repeat(32))).proof).toEqual({
      kind: "waits",
      certified: 0,
    });
  });
});
