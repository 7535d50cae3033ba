/** Who leaves a round out, and that a crowd of payments is decided all the same. */
import { describe, expect, it } from "vitest";
import { mayRestAt, resterOf } from "../../internal/consensus/resting.ts";
import type { RestingView } from "../../internal/consensus/resting.ts";
import { accountOf } from "../ledger/_world.ts";
import { Net } from "./_net.ts";

const view: RestingView = {
  firstRound: 1,
  lastAnchor: 17,
  leader: () => 3,
  authorsAt: () => 0b1111,
  committee: {
    members: Array.from(
      { length: 4 },
      () => ({ publicKey: new Uint8Array(0), stake: 1n }),
    ) as never,
    isQuorum: (mask) => mask.toString(2).replaceAll("0", "").length >= 3,
  },
};

describe("resterOf()", () => {
  it("takes each in turn, and another where that would be the leader", () => {
    expect([20, 21, 22].map((round) => resterOf(round, { ...view, lastAnchor: 18 })))
      .toEqual([0, 1, 2]);
    expect(resterOf(19, view)).toBe(1);
  });

  it("lets nobody rest while somebody misses a turn that was not theirs to leave out", () => {
    const without = (round: number, author: number): RestingView => ({
      ...view,
      authorsAt: (at) => at === round ? 0b1111 & ~(1 << author) : 0b1111,
    });
    expect(resterOf(20, without(17, 1))).toBe(0);
    expect(resterOf(20, without(17, 2))).toBeUndefined();
    expect(resterOf(20, without(15, 2))).toBe(0);
  });

  it("lets nobody rest while slots are not decided, and where all are needed for a quorum", () => {
    expect(resterOf(21, { ...view, lastAnchor: 16 })).toBeUndefined();
    expect(resterOf(4, view)).toBeUndefined();
    const all = { ...view.committee, isQuorum: (mask: number) => mask === 0b1111 };
    expect(resterOf(20, { ...view, committee: all })).toBeUndefined();
  });
});

describe("mayRestAt()", () => {
  it("names who rests if anybody does, whatever else is known, and never the leader", () => {
    expect([20, 21, 22].map((round) => mayRestAt(round, view))).toEqual([0, 1, 2]);
    expect(mayRestAt(19, view)).toBe(resterOf(19, view));
    const two = { ...view.committee, members: view.committee.members.slice(0, 2) };
    expect(mayRestAt(20, { leader: () => 0, committee: two })).toBeUndefined();
  });
});

describe("validators that rest", () => {
  const wallets = Array.from({ length: 32 }, (_, i) => `wallet-${i}`);

  it("decide what a crowd pays with three blocks a round, and go on when one dies", () => {
    const net = new Net({
      accounts: wallets.map((name) => [accountOf(name), 1_000_000_000n] as const),
    });
    const counts = new Map<number, number>();
    let sent = 0;
    const payAll = (): void => {
      for (const wallet of wallets) net.submit(0, net.payment(wallet, "alice", 1n));
      sent += wallets.length;
    };
    const settled = (): boolean => net.finals().size === sent;
    for (let k = 0; k < 10; k++) {
      payAll();
      expect(net.run(5_000, settled)).toBe(true);
    }
    for (const { blocks } of net.peers) {
      for (const { round } of blocks) counts.set(round, (counts.get(round) ?? 0) + 1);
    }
    const full = [...counts].filter(([round]) => round > 8 && round < net.peer(0).blocks.length);
    expect(full.filter(([, blocks]) => blocks === 3).length).toBeGreaterThan(full.length / 2);
    net.crash(2);
    for (let k = 0; k < 3; k++) {
      payAll();
      expect(net.run(20_000, settled)).toBe(true);
    }
  });

  it("do not wait for blocks that cannot come any more, as when a crowd wakes them", () => {
    const payers = wallets.slice(0, 16);
    const accounts = payers.map((name) => [accountOf(name), 1_000_000_000n] as const);
    const tookMs = Array.from({ length: 12 }, (_, seed) => {
      const net = new Net({ seed, delayMs: [5, 60], accounts });
      net.run(7_000 + seed * 137, () => false);
      const startMs = net.nowMs;
      for (let wave = 1; wave <= 6; wave++) {
        for (const wallet of payers) net.submit(0, net.payment(wallet, "alice", 1n));
        expect(net.run(20_000, () => net.finals().size === wave * payers.length)).toBe(true);
      }
      return net.nowMs - startMs;
    });
    // A leader that left its own round out is waited for 300 ms; six waves take some 850.
    expect(Math.max(...tookMs)).toBeLessThan(1_000);
  });
});
