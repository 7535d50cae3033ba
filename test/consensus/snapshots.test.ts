/** Who was away for longer than blocks are kept, or comes late, goes on from a certified snapshot. */
import { describe, expect, it } from "vitest";
import type { NetOptions } from "./_net.ts";
import { Net } from "./_net.ts";

/** Quick rounds without anything to do. */
const TUNING = { idle: [{ afterMs: 0, everyMs: 20 }], retryMs: 100 };
/** Rounds for which ordering itself keeps blocks. */
const NEEDED_ROUNDS = 256;

/** A network whose validators keep blocks for as short as they can. */
function shortMemory(options: NetOptions = {}): Net {
  return new Net({ tuning: TUNING, keptRounds: 0, ...options });
}

function pay(net: Net, to: number): string {
  return net.submit(to, net.payment("alice", "bob", 1n));
}

/** Runs until rounds have passed at a validator, with a payment here and there. */
function pass(net: Net, i: number, rounds: number): void {
  const until = net.peer(i).validator.status().round + rounds;
  while (net.peer(i).validator.status().round < until) {
    pay(net, i);
    expect(net.run(60_000, () => net.peer(i).validator.status().round >= until)).toBe(true);
  }
}

describe("a validator that was away", () => {
  it("takes a snapshot when peers dropped the blocks it misses, and signs on [L-595]", () => {
    const net = shortMemory();
    pay(net, 3);
    net.run(1000);
    net.crash(3);
    const { round: before } = net.peer(3).validator.status();
    pass(net, 0, NEEDED_ROUNDS + 100);
    net.restart(3);
    const late = net.peer(3);
    expect(net.run(20_000, () => late.snapshots.length > 0)).toBe(true);
    const [pulse = 0] = late.snapshots;
    expect(net.run(20_000, () => net.isLevel())).toBe(true);
    expect(late.validator.status()).toMatchObject({ signs: true });
    expect(late.validator.status().round).toBeGreaterThan(before + NEEDED_ROUNDS);
    // It votes: with another one gone, the others need it.
    net.crash(0);
    const unit = pay(net, 3);
    expect(net.run(20_000, () => net.receipts.has(unit))).toBe(true);
    expect(late.validator.status().certified).toBeGreaterThan(pulse);
    expect(late.snapshots).toEqual([pulse]);
    const rounds = late.blocks.map(({ round }) => round);
    expect(new Set(rounds).size).toBe(rounds.length);
    expect(late.refusedSnapshots).toEqual([]);
    expect(late.alarms.size).toBe(0);
  });
});
