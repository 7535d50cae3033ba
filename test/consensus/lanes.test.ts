/** Lanes among validators: conflicts, expiry, locks, forced units, broken and foreign rules. */
import { describe, expect, it, vi } from "vitest";
import { struct, u64 } from "#internal/core/mod.ts";
import type { AnyStatementKind, Message } from "#internal/consensus/mod.ts";
import { defineStatement, statementKinds } from "#internal/consensus/mod.ts";
import { LocalView } from "../../internal/consensus/local_view.ts";
import { accountOf } from "../ledger/_world.ts";
import { Net } from "./_net.ts";

const kindNamed = (name: string): AnyStatementKind => {
  const found = statementKinds.find((kind) => kind.name === name);
  if (found === undefined) throw new Error(`no statement ${name}`);
  return found;
};
/** The product's kinds with one changed. */
const changed = (name: string, change: Partial<AnyStatementKind>): AnyStatementKind[] =>
  statementKinds.map((kind) => (kind.name === name ? { ...kind, ...change } : kind));

describe("two units for one slot", () => {
  it("are never both final: a split vote is stopped and the slot void", () => {
    const net = new Net({ delayMs: [20, 20] });
    net.run(4500);
    const a = net.payment("alice", "bob", 1n);
    const b = net.payment("alice", "bob", 2n, { sequence: 0n });
    const units = [0, 1, 2, 3].map((i) => net.submit(i, i < 2 ? a : b));
    expect(new Set(units).size).toBe(2);
    const next = net.submit(0, net.payment("alice", "bob", 3n));
    expect(net.run(20_000, () => net.receipts.has(next))).toBe(true);
    const [first] = net.all;
    expect(first).toMatchObject({ kind: "void", sequence: 0n, fee: 1100n });
    expect(net.finals()).toEqual(new Set([next]));
    expect(net.outcomes(units[0] ?? "")).toEqual([]);
    expect(net.run(10_000, () => net.isLevel())).toBe(true);
  });

  it("block the slot until both are dead where nobody stops it", () => {
    const net = new Net({
      delayMs: [20, 20],
      statementsOf: () => changed("stop", { propose: () => [] }),
    });
    net.run(4500);
    const validUntil = BigInt(net.pulses.length + 10);
    const a = net.payment("alice", "bob", 1n, { validUntil });
    const b = net.payment("alice", "bob", 2n, { sequence: 0n, validUntil });
    [0, 1, 2, 3].forEach((i) => net.submit(i, i < 2 ? a : b));
    net.run(120_000, () => net.peer(0).dead.size > 0);
    expect(net.all).toEqual([]);
    expect(net.finals().size).toBe(0);
    const again = net.submit(0, net.payment("alice", "bob", 3n, { sequence: 0n }));
    expect(net.run(20_000, () => net.receipts.has(again))).toBe(true);
    expect(net.outcomes(again)).toEqual(["success"]);
  });

  it("are answered `locked` by the first, which executes", () => {
    const net = new Net({ delayMs: [20, 20] });
    net.run(4500);
    const first = net.submit(0, net.payment("alice", "bob", 1n));
    const rival = net.payment("alice", "bob", 2n, { sequence: 0n });
    const second = net.submit(0, rival);
    expect(net.peer(0).answers.get(second)).toEqual({ type: "locked", by: first });
    expect(net.run(5000, () => net.receipts.has(first))).toBe(true);
    expect(net.outcomes(first)).toEqual(["success"]);
    net.run(100);
    const late = net.submit(1, rival);
    expect(net.peer(1).answers.get(late)).toMatchObject({ type: "refused", code: "slot" });
    net.run(10_000);
    expect(net.outcomes(second)).toEqual([]);
  });

  it("leave the first accepted when it is asked for again, before and after the vote", () => {
    const net = new Net({ delayMs: [20, 20] });
    net.run(4500);
    const unit = net.payment("alice", "bob", 1n);
    const first = net.submit(0, unit);
    net.submit(0, net.payment("alice", "bob", 2n, { sequence: 0n }));
    net.submit(0, unit);
    expect(net.peer(0).answers.get(first)).toEqual({ type: "accepted" });
    net.run(40, () => net.peer(0).final.has(first));
    net.submit(0, unit);
    expect(net.peer(0).answers.get(first)).toEqual({ type: "accepted" });
    expect(net.run(5000, () => net.receipts.has(first))).toBe(true);
  });

  it("do not touch another account's lane", () => {
    const net = new Net({ delayMs: [20, 20] });
    net.run(4500);
    const rivals = [1n, 2n].map((n) => net.payment("alice", "bob", n, { sequence: 0n }));
    rivals.forEach((unit, i) => net.submit(2 * i, unit));
    const startMs = net.nowMs;
    const other = net.submit(1, net.payment("carol", "bob", 1n));
    expect(net.run(1000, () => net.peer(1).final.has(other))).toBe(true);
    expect(net.nowMs - startMs).toBeLessThanOrEqual(80);
  });
});

describe("a unit that finds no votes in time", () => {
  /** Validator 0 is cut off while `cut` holds. */
  const cutNet = () => {
    const state = { cut: false };
    const filter = (from: number, to: number, _message: Message): boolean =>
      !state.cut || (from !== 0 && to !== 0);
    const net = new Net({ delayMs: [5, 5], filter });
    net.run(4500);
    return { net, state };
  };

  it("dies at its bound, and its slot is free for another", () => {
    const { net, state } = cutNet();
    state.cut = true;
    const validUntil = BigInt(net.pulses.length + 4);
    const lost = net.submit(0, net.payment("alice", "bob", 1n, { validUntil }));
    expect(net.peer(0).answers.get(lost)).toEqual({ type: "accepted" });
    expect(net.run(120_000, () => net.pulses.length > Number(validUntil))).toBe(true);
    expect(net.receipts.has(lost)).toBe(false);
    state.cut = false;
    expect(net.run(20_000, () => net.peer(0).dead.has(lost))).toBe(true);
    const again = net.submit(0, net.payment("alice", "bob", 2n, { sequence: 0n }));
    expect(net.peer(0).answers.get(again)).toEqual({ type: "accepted" });
    expect(net.run(10_000, () => net.receipts.has(again))).toBe(true);
    expect(net.outcomes(again)).toEqual(["success"]);
    expect(net.outcomes(lost)).toEqual([]);
  });

  it("is voted for when the validator that took it is back in time", () => {
    const { net, state } = cutNet();
    state.cut = true;
    const unit = net.submit(0, net.payment("alice", "bob", 1n));
    net.run(8000);
    expect(net.receipts.has(unit)).toBe(false);
    state.cut = false;
    expect(net.run(20_000, () => net.receipts.has(unit) && net.isLevel())).toBe(true);
    expect(net.outcomes(unit)).toEqual(["success"]);
  });

  it("is refused when its time is over", () => {
    const { net } = cutNet();
    net.run(30_000, () => net.pulses.length > 1);
    const late = net.payment("alice", "bob", 1n, { validUntil: 1n });
    const unit = net.submit(0, late);
    expect(net.peer(0).answers.get(unit)).toMatchObject({ type: "refused", code: "expired" });
    expect(net.peer(0).validator.standing(unit)).toBe("unknown");
  });
});

describe("a forced unit", () => {
  it("executes although half of the validators never vote for it [L-599]", () => {
    const victim = { unit: "" };
    const vote = kindNamed("vote");
    const censors = changed("vote", {
      propose: (place, view) => {
        const bodies = (vote.propose?.(place, view) ?? []) as { unit: string }[];
        return bodies.filter(({ unit }) => unit !== victim.unit);
      },
    });
    const net = new Net({
      delayMs: [5, 5],
      statementsOf: (i) => (i < 2 ? undefined : censors),
    });
    net.run(2500);
    const signed = net.payment("alice", "bob", 1n, { validUntil: 60n });
    victim.unit = net.ledger.unitDigest(signed.unit);
    const unit = net.submit(0, signed, { forced: true });
    net.submit(1, signed, { forced: true });
    let pending = 0;
    const done = net.run(60_000, () => {
      pending = Math.max(pending, net.peer(0).validator.status().forcedPending);
      return net.receipts.has(unit);
    });
    expect(done).toBe(true);
    expect(pending).toBe(1);
    expect(net.outcomes(unit)).toEqual(["success"]);
    expect(net.finals().has(unit)).toBe(false);
    net.run(10_000, () => net.isLevel());
    expect(net.peer(0).validator.status()).toMatchObject({ forcedPending: 0, forcedOverdue: 0 });
  });

  it("executes by votes like any other where nobody censors it [L-599]", () => {
    const net = new Net({ delayMs: [5, 5] });
    net.run(2500);
    const unit = net.submit(0, net.payment("alice", "bob", 1n), { forced: true });
    expect(net.run(2000, () => net.receipts.has(unit))).toBe(true);
    expect(net.run(5000, () => net.isLevel())).toBe(true);
    expect(net.peer(0).validator.status().forcedPending).toBe(0);
  });
});

describe("defineStatement()", () => {
  it("adds a kind from outside, which travels in blocks and counts in the order", () => {
    const heard = new Map<string, number>();
    const note = defineStatement<"note", { readonly value: bigint }>({
      name: "note",
      tag: 99,
      codec: struct({ value: u64 }),
      idle: true,
      fault: ({ value }) => (value > 1000n ? "it notes too much" : undefined),
      ordered: ({ value }, node) => {
        heard.set(`${node.author}/${value}`, (heard.get(`${node.author}/${value}`) ?? 0) + 1);
      },
      propose: ({ round }) => (round === 3 ? [{ value: 7n }] : []),
    });
    const net = new Net({ statements: [...statementKinds, note] });
    net.run(60_000, () => net.pulses.length === 2);
    net.run(1000);
    // Each of four validators ordered each of the four notes.
    expect([...heard].sort()).toEqual([0, 1, 2, 3].map((author) => [`${author}/7`, 4]));
    expect(net.peers.flatMap(({ refused }) => refused)).toEqual([]);
  });

  it("makes blocks that break a kind's rule invalid for all others", () => {
    const lie = changed("confirm", {
      propose: (place) => (place.round === 3 ? [{ unit: "ab".repeat(32) }] : []),
    });
    const net = new Net({ statementsOf: (i) => (i === 3 ? lie : undefined) });
    net.run(60_000, () => net.pulses.length === 2);
    for (const i of [0, 1, 2]) {
      expect(net.peer(i).refused).toContain("it confirms a unit without its vote quorum");
    }
    const unit = net.submit(0, net.payment("alice", "bob", 1n));
    expect(net.run(20_000, () => net.receipts.has(unit))).toBe(true);
  });
});

describe("certificates of Pulses", () => {
  it("are waited for: beyond eight executed Pulses without one, nothing new is carried", () => {
    const silent = changed("pulse_vote", { propose: () => [] });
    const net = new Net({ statementsOf: () => silent });
    net.run(1500);
    net.submit(0, net.payment("alice", "bob", 1n));
    net.run(60_000, () => net.pulses.length > 9);
    const unit = net.submit(0, net.payment("alice", "bob", 2n));
    expect(net.peer(0).answers.get(unit)).toMatchObject({ type: "refused", code: "busy" });
    expect(net.peer(0).validator.status().certified).toBe(0);
  });

  it("stop a validator whose header over a third of the stake contradicts [L-112]", () => {
    const pulseVote = kindNamed("pulse_vote");
    const other = changed("pulse_vote", {
      propose: (place, view) =>
        ((pulseVote.propose?.(place, view) ?? []) as { pulse: bigint; header: Uint8Array }[])
          .map(({ pulse, header }) => ({ pulse, header: header.map((byte) => byte ^ 1) })),
    });
    const net = new Net({ statementsOf: (i) => (i < 2 ? undefined : other) });
    net.run(60_000, () => net.peer(0).alarms.size > 0);
    expect(net.peer(0).alarms.get("diverged")).toBe(
      "over a third of the stake signed another header for Pulse 1",
    );
    expect(net.peer(0).validator.status().signs).toBe(false);
    expect(net.peer(0).certificates).toEqual([]);
  });
});

describe("a key", () => {
  it("whose store is lost only follows once a peer shows a block of it", () => {
    const net = new Net({ delayMs: [5, 5] });
    net.run(10_000);
    net.crash(3);
    net.run(5000);
    net.restart(3, { wiped: true });
    expect(net.run(20_000, () => net.peer(3).alarms.has("stale-key"))).toBe(true);
    expect(net.peer(3).validator.status().signs).toBe(false);
    const made = net.peer(3).blocks.length;
    const unit = net.submit(0, net.payment("alice", "bob", 1n));
    expect(net.run(20_000, () => net.receipts.has(unit))).toBe(true);
    expect(net.run(20_000, () => net.peer(3).validator.status().pulse === net.pulses.length))
      .toBe(true);
    expect(net.peer(3).blocks.length).toBe(made);
  });

  it("that signs two blocks for one round is found out, and the evidence is ordered", () => {
    const net = new Net({ delayMs: [5, 5] });
    net.run(2500);
    net.crash(3);
    // The same key on an empty store makes another block of the first round.
    net.restart(3, { wiped: true });
    net.run(10_000);
    for (const i of [0, 1, 2]) {
      expect(net.peer(i).alarms.get("equivocation")).toBe(
        "validator 3 signed two blocks for one round",
      );
    }
    const unit = net.submit(0, net.payment("alice", "bob", 1n));
    expect(net.run(20_000, () => net.receipts.has(unit))).toBe(true);
    expect(accountOf("alice")).toBe(net.all[0]?.account);
  });
});

describe("units of many members", () => {
  it("look once for each unit before them, however many slots both have", () => {
    const net = new Net({ delayMs: [5, 5] });
    net.run(4500);
    const first = net.submit(0, net.payment("alice", "bob", 1n, { count: 64 }));
    expect(net.run(2000, () => net.peers.some((peer) => peer.final.has(first)))).toBe(true);
    const looks = vi.spyOn(LocalView.prototype, "hasCertified");
    try {
      const second = net.submit(0, net.payment("alice", "bob", 1n, { count: 64 }));
      expect(net.run(2000, () => net.peer(0).final.has(second))).toBe(true);
      expect(looks.mock.calls.length).toBeGreaterThan(0);
      const rounds = looks.mock.calls.map(([, history]) => history);
      expect(looks.mock.calls.length).toBeLessThanOrEqual(new Set(rounds).size);
    } finally {
      looks.mockRestore();
    }
  });
});
