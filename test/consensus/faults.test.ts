/** Delays, loss, repetition, crashes: one of four may be gone, and nothing final is lost. */
import { describe, expect, it } from "vitest";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import { NAMED } from "../ledger/_world.ts";
import { Net } from "./_net.ts";

/** Wallets that pay, send again what has no receipt, and sometimes sign one slot twice. */
class Traffic {
  readonly net: Net;
  readonly kept: SignedUnit[] = [];
  readonly rivals: [string, string][] = [];
  readonly #twice = new Set<string>();

  constructor(net: Net) {
    this.net = net;
    this.#again();
  }

  #again(): void {
    for (const unit of this.kept) {
      const i = Math.floor(this.net.random() * 4);
      if (!this.isDone(this.digest(unit)) && this.net.peer(i).up) this.net.submit(i, unit);
    }
    this.net.at(this.net.nowMs + 2000, () => this.#again());
  }

  digest(unit: SignedUnit): string {
    return this.net.ledger.unitDigest(unit.unit);
  }
  isDone(digest: string): boolean {
    return this.net.receipts.has(digest);
  }
  #pick(): number {
    const up = this.net.peers.flatMap((peer, i) => (peer.up ? [i] : []));
    return up[Math.floor(this.net.random() * up.length)] ?? 0;
  }

  pay(): void {
    const { net } = this;
    const [from = "alice", to = "bob"] = [net.random(), net.random()]
      .map((r) => NAMED[Math.floor(r * NAMED.length)]);
    if (this.#twice.has(from)) return;
    const count = net.random() < 0.2 ? 3 : 1;
    const unit = net.payment(from, to, 1_000_000n, { count });
    this.kept.push(unit);
    net.submit(this.#pick(), unit);
    if (net.random() > 0.12) return;
    this.#twice.add(from);
    const sequence = unit.unit.members[0]?.sequence ?? 0n;
    const rival = net.payment(from, to, 2_000_000n, { sequence });
    this.kept.push(rival);
    net.submit(this.#pick(), rival);
    this.rivals.push([this.digest(unit), this.digest(rival)]);
  }

  /** Every slot that was signed twice is settled. */
  get isSettled(): boolean {
    return this.rivals.every((pair) => {
      const unit = this.kept.find((kept) => this.digest(kept) === pair[0]);
      const { account, sequence } = unit?.unit.members[0] ?? {};
      return this.net.all.some((r) => r.account === account && r.sequence === sequence);
    });
  }
}

function expectSound(net: Net, traffic: Traffic): void {
  expect(traffic.isSettled).toBe(true);
  for (const [a, b] of traffic.rivals) {
    expect(net.receipts.has(a) && net.receipts.has(b)).toBe(false);
  }
  for (const unit of net.finals()) {
    expect(new Set(net.outcomes(unit)), `final ${unit}`).toEqual(new Set(["success"]));
  }
  const slots = net.all.map(({ account, sequence }) => `${account}/${sequence}`);
  expect(new Set(slots).size).toBe(slots.length);
  for (const { alarms, refused } of net.peers) expect([...alarms.keys(), ...refused]).toEqual([]);
}

describe("a network of four validators", () => {
  for (let seed = 1; seed <= 4; seed++) {
    it(`stays one under delays, loss and repetition, seed ${seed} [L-595 L-598]`, () => {
      const delayMs = [1, seed % 2 === 0 ? 400 : 80] as const;
      const net = new Net({ seed, delayMs, loss: 0.08, duplicates: 0.08 });
      const traffic = new Traffic(net);
      for (let step = 0; step < 30; step++) {
        net.run(50 + net.random() * 400);
        traffic.pay();
      }
      net.run(120_000, () => traffic.isSettled && net.isLevel());
      expectSound(net, traffic);
      expect(net.isLevel()).toBe(true);
      expect(net.all.length).toBeGreaterThan(8);
    });

    it(`goes on when one crashes and returns, seed ${seed} [L-595]`, () => {
      const net = new Net({ seed: 100 + seed, delayMs: [1, 120], loss: 0.03, duplicates: 0.03 });
      const traffic = new Traffic(net);
      let down: number | undefined;
      for (let step = 0; step < 40; step++) {
        net.run(50 + net.random() * 500);
        traffic.pay();
        if (down === undefined && net.random() < 0.25) {
          down = Math.floor(net.random() * 4);
          net.crash(down);
        } else if (down !== undefined && net.random() < 0.3) {
          net.restart(down);
          down = undefined;
        }
      }
      if (down !== undefined) net.restart(down);
      net.run(120_000, () => traffic.isSettled && net.isLevel());
      expectSound(net, traffic);
      expect(net.isLevel()).toBe(true);
    });
  }

  it("makes progress with one validator gone for good", () => {
    const net = new Net({ seed: 5, delayMs: [5, 20] });
    net.run(2000);
    net.crash(2);
    for (let k = 0; k < 5; k++) {
      const unit = net.submit(0, net.payment("alice", "bob", 1n));
      expect(net.run(15_000, () => net.receipts.has(unit))).toBe(true);
    }
    expect(net.run(20_000, () => net.isLevel())).toBe(true);
  });

  it("waits, and loses nothing, while two of four are gone", () => {
    const net = new Net({ seed: 6 });
    net.run(2000);
    net.crash(2);
    net.crash(3);
    const unit = net.submit(0, net.payment("alice", "bob", 1n));
    expect(net.run(30_000, () => net.receipts.has(unit))).toBe(false);
    net.restart(2);
    net.restart(3);
    expect(net.run(30_000, () => net.receipts.has(unit) && net.isLevel())).toBe(true);
  });

  it("brings back a validator that missed hundreds of rounds by its peers' blocks", () => {
    const net = new Net({ seed: 7, delayMs: [1, 5] });
    net.run(3000);
    net.crash(3);
    const last = net.peer(3).store.own;
    for (let k = 0; k < 40; k++) {
      net.submit(0, net.payment("alice", "bob", 1n));
      net.run(1000);
    }
    const behind = net.peer(0).validator.status().round - net.peer(3).validator.status().round;
    expect(behind).toBeGreaterThan(200);
    net.restart(3);
    expect(net.run(20_000, () => net.isLevel())).toBe(true);
    expect(net.peer(3).validator.status().pulse).toBe(net.pulses.length);
    // What it signed itself, however long ago, is no sign of a lost store.
    if (last !== undefined) net.show(3, 0, last);
    expect([...net.peer(3).alarms]).toEqual([]);
    expect(net.peer(3).validator.status().signs).toBe(true);
  });

  it("starts again when all have crashed, with the same bytes of the last blocks", () => {
    const net = new Net({ seed: 8, delayMs: [1, 60] });
    net.run(2500);
    const units = NAMED.map((name, i) => net.submit(i, net.payment(name, "bob", 1n)));
    net.run(150);
    const finals = [...net.finals()];
    for (let i = 0; i < 4; i++) net.crash(i);
    const own = net.peers.map(({ store }) => store.own?.id);
    for (let i = 0; i < 4; i++) net.restart(i);
    expect(net.peers.map(({ store }) => store.own?.id)).toEqual(own);
    net.run(20_000);
    for (const unit of finals) expect(net.outcomes(unit)).toEqual(["success"]);
    expect(net.isLevel()).toBe(true);
    expect(units).toHaveLength(4);
  });

  it("gives the same run for the same seed", () => {
    const run = (seed: number): string => {
      const net = new Net({ seed, delayMs: [1, 200], loss: 0.1 });
      const traffic = new Traffic(net);
      for (let step = 0; step < 10; step++) {
        net.run(300);
        traffic.pay();
      }
      net.run(5000);
      return net.pulses.join();
    };
    expect(run(3)).toBe(run(3));
    expect(run(3)).not.toBe(run(4));
  });
});
