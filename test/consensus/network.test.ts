/** Four validators that agree: payments, latency, pace, faults of the network. */
import { describe, expect, it } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import { verifyLaneCertificate, verifyPulseCertificate } from "#internal/proofs/mod.ts";
import { accountOf, FUNDS } from "../ledger/_world.ts";
import { accountKind, balanceOf, USD } from "#internal/ledger/mod.ts";
import type { Account } from "#internal/ledger/mod.ts";
import { Net } from "./_net.ts";

const balance = (net: Net, name: string): bigint => {
  const object = net.peer(0).validator.state().get(accountOf(name));
  return object?.kind === accountKind.name ? balanceOf(object.value as Account, USD) : 0n;
};

describe("createValidator()", () => {
  it("makes a network that executes and certifies a payment [L-595 L-597]", async () => {
    const net = new Net();
    net.run(3000);
    const unit = net.submit(0, net.payment("alice", "bob", 1_500_000n));
    expect(net.peer(0).answers.get(unit)).toEqual({ type: "accepted" });
    expect(net.run(5000, () => net.isLevel() && net.receipts.has(unit))).toBe(true);
    expect(net.outcomes(unit)).toEqual(["success"]);
    expect(balance(net, "bob")).toBe(FUNDS + 1_500_000n);
    for (const { validator, certificates, alarms, refused } of net.peers) {
      expect(toHex(validator.header().stateRoot)).toBe(toHex(validator.state().root()));
      expect([...alarms, ...refused]).toEqual([]);
      for (const certificate of certificates) {
        const verdict = await verifyPulseCertificate(certificate, net.certificateContext());
        expect(verdict.ok).toBe(true);
      }
    }
  });

  it("makes a payment final after three message delays, from any validator, and executes it in the next Pulse [L-151 L-152 L-596]", async () => {
    const net = new Net({ delayMs: [20, 20] });
    // Between two idle rounds: nothing else is on its way.
    net.run(4500);
    for (let i = 0; i < 4; i++) {
      const startMs = net.nowMs;
      const unit = net.submit(i, net.payment("alice", "bob", 1n));
      expect(net.run(1000, () => net.peer(i).final.has(unit))).toBe(true);
      expect(net.nowMs - startMs).toBe(60);
      const certificate = net.peer(i).validator.laneCertificate(unit);
      expect(certificate?.items).toHaveLength(3);
      if (certificate === undefined) continue;
      const context = net.certificateContext();
      expect((await verifyLaneCertificate(certificate, 1000, context)).ok).toBe(true);
      expect((await verifyLaneCertificate(certificate, 1, context)).ok).toBe(false);
      expect(net.peer(i).validator.standing(unit)).toBe("final");
      expect(net.receipts.has(unit)).toBe(false);
      const next = BigInt(net.pulses.length + 1);
      expect(net.run(1000, () => net.receipts.has(unit))).toBe(true);
      expect(net.receipts.get(unit)).toMatchObject([{ pulse: next }]);
      net.run(7000);
    }
  });

  it("executes a batch as one unit: all of its members, in one Pulse [L-571]", () => {
    const net = new Net();
    net.run(1500);
    const unit = net.submit(1, net.payment("alice", "bob", 1n, { count: 16 }));
    const next = net.submit(1, net.payment("alice", "bob", 2n));
    expect(net.run(5000, () => net.receipts.has(next))).toBe(true);
    const receipts = net.receipts.get(unit) ?? [];
    expect(receipts.map(({ index }) => index)).toEqual(Array.from({ length: 16 }, (_, i) => i));
    expect(new Set(receipts.map(({ pulse }) => pulse)).size).toBe(1);
    expect(new Set(receipts.map(({ outcome }) => outcome.kind))).toEqual(new Set(["success"]));
    expect(receipts[0]?.fee).toBe(300n + 50n);
  });

  it("takes three units of 128 of one account, two ahead of its next, and no fourth", () => {
    const net = new Net();
    net.run(1500);
    const batch = () => net.submit(0, net.payment("alice", "bob", 1n, { count: 128 }));
    const units = [batch(), batch(), batch()];
    for (const unit of units) {
      expect(net.peer(0).answers.get(unit)).toEqual({ type: "accepted" });
    }
    expect(net.peer(0).answers.get(batch())).toMatchObject({ type: "refused", code: "slot" });
    expect(net.run(20_000, () => units.every((unit) => net.receipts.has(unit)))).toBe(true);
    for (const unit of units) expect(net.outcomes(unit)).toEqual(Array(128).fill("success"));
  });

  it("executes what an account signed ahead, slot by slot", () => {
    const net = new Net();
    net.run(1500);
    const units = Array.from({ length: 16 }, () => net.payment("alice", "bob", 1n));
    // The last slot first: none may be passed over.
    const digests = units.reverse().map((unit) => net.submit(2, unit));
    expect(net.run(20_000, () => digests.every((unit) => net.receipts.has(unit)))).toBe(true);
    expect(net.all.map(({ sequence }) => Number(sequence)))
      .toEqual(Array.from({ length: 16 }, (_, i) => i));
  });

  it("promises no money twice: a payment that a certified one leaves nothing for gets no vote", () => {
    const net = new Net();
    net.run(1500);
    const most = net.submit(0, net.payment("alice", "bob", FUNDS - 2000n));
    const more = net.submit(0, net.payment("alice", "bob", 1_000_000n));
    expect(net.run(3000, () => net.receipts.has(most))).toBe(true);
    net.run(30_000, () => net.peer(0).dead.has(more));
    expect(net.outcomes(most)).toEqual(["success"]);
    expect(net.outcomes(more)).toEqual([]);
  });

  it("slows down when idle to a block each 4 s, and wakes for a payment", () => {
    const net = new Net({ delayMs: [10, 10] });
    net.run(1000);
    net.submit(0, net.payment("alice", "bob", 1n));
    net.run(5000, () => net.isLevel() && net.all.length > 0);
    const gaps = (fromMs: number, toMs: number): number[] => {
      const start = net.nowMs;
      net.run(toMs);
      const times = net.peer(1).blocks.map(({ atMs }) => atMs - start)
        .filter((atMs) => atMs >= fromMs && atMs <= toMs);
      return times.slice(1).map((atMs, i) => Math.round((atMs - (times[i] ?? 0)) / 1000));
    };
    expect(new Set(gaps(20_000, 60_000))).toEqual(new Set([4]));
    const unit = net.submit(3, net.payment("alice", "bob", 1n));
    expect(net.run(500, () => net.receipts.has(unit))).toBe(true);
  });

  it("makes blocks while busy, and no more of them than the bucket of tokens lets go", () => {
    const net = new Net({ delayMs: [1, 1] });
    net.run(4000);
    const startMs = net.nowMs;
    for (let k = 0; k < 10; k++) {
      net.submit(0, net.payment("alice", "bob", 1n));
      net.run(100);
    }
    const made = net.peer(0).blocks.filter(({ atMs }) => atMs >= startMs).length;
    expect(made).toBeGreaterThanOrEqual(15);
    expect(made).toBeLessThanOrEqual(3 + 1000 / 45 + 1);
  });

  it("goes on with one, two, seven and sixteen validators", () => {
    for (const validators of [1, 2, 7, 16]) {
      const net = new Net({ validators, seed: validators });
      net.run(1500);
      const unit = net.submit(validators - 1, net.payment("alice", "bob", 1n));
      expect(net.run(5000, () => net.receipts.has(unit) && net.isLevel())).toBe(true);
    }
  });

  it("keeps the time of Pulses between the clocks of its validators", () => {
    // One clock is 3 s ahead: its blocks wait until the others' clocks allow them.
    const net = new Net({ skewMs: (i) => (i === 0 ? 3000 : 0) });
    net.run(20_000);
    const unit = net.submit(1, net.payment("alice", "bob", 1n));
    expect(net.run(10_000, () => net.receipts.has(unit))).toBe(true);
    const { timeMs } = net.peer(1).validator.header();
    expect(Number(timeMs)).toBeLessThanOrEqual(net.nowMs);
    expect(net.pulses.length).toBeGreaterThan(1);
  });
});
