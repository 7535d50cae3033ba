/** Blocks name units, whose bytes travel by themselves: who lacks one asks, and nobody waits for long. */
import { describe, expect, it } from "vitest";
import { fromHex } from "#internal/core/mod.ts";
import type { NamedUnit, StoredBlock } from "#internal/consensus/mod.ts";
import { createBlockCodec, encodeMessage, statementKinds } from "#internal/consensus/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import { USD } from "#internal/ledger/mod.ts";
import { FORMAT_VERSION, ZERO_HASH } from "#internal/proofs/mod.ts";
import { accountOf, FUNDS, NAMED } from "../ledger/_world.ts";
import { Net } from "./_net.ts";

/** A block of validator 1 in the first round that names units. */
function naming(net: Net, units: readonly NamedUnit[]): StoredBlock {
  const block = createBlockCodec(net.ledger, statementKinds).make({
    version: FORMAT_VERSION,
    chain: fromHex(net.chain),
    session: 0,
    round: 1,
    author: 1,
    parents: [],
    timeMs: 0n,
    link: { value: ZERO_HASH, next: ZERO_HASH },
  }, { units, evidence: [], statements: [] });
  const { id, bytes } = block;
  return { id, round: 1, author: 1, bytes, signature: new Uint8Array(4) };
}

const NAMES = Array.from({ length: 32 }, (_, i) => `payer-${i}`);

function manyAccounts(): Net["genesis"]["accounts"] {
  return [...NAMES, "bob"].map((name) => [accountOf(name), FUNDS]);
}

/** A unit of some 335 kB. */
function longPayment(net: Net, from: string): SignedUnit {
  const { unit, authorization } = net.payment(from, "bob", 1n, { count: 128 });
  const outputs = Array.from({ length: 64 }, () => [accountOf("bob"), 1n]);
  const members = unit.members.map((member) => ({ ...member, body: { asset: USD, outputs } }));
  return { unit: { ...unit, members }, authorization };
}

/** Validator 0 gets units of validator 1. */
function give(net: Net, ...units: readonly SignedUnit[]): void {
  const shared = units.map((signed) => ({ signed, bytes: net.ledger.encodeSigned(signed) }));
  net.peer(0).host.feed({
    type: "message",
    from: 1,
    message: { type: "units", units: shared },
  });
}

const isPayment = (net: Net, unit: string) => () => net.outcomes(unit).join() === "success";

describe("a block that names units", () => {
  it("is decided two rounds after its units came, however many they are", () => {
    const net = new Net({ accounts: manyAccounts() });
    net.run(3_000);
    const before = Math.max(...net.peers.map(({ validator }) => validator.status().round));
    const units = NAMES.map((name, i) => net.submit(i % 4, net.payment(name, "bob", 1n)));
    expect(net.run(20_000, () => units.every((unit) => net.finals().has(unit)))).toBe(true);
    const after = Math.max(...net.peers.map(({ validator }) => validator.status().round));
    // One that may have been under way, Votes and Confirms.
    expect(after - before).toBeLessThanOrEqual(3);
  });

  it("waits for a unit that is missing, which is asked for", () => {
    const lost: string[] = [];
    const net = new Net({
      filter(_from, to, message) {
        if (message.type === "want" && message.units.length > 0) lost.push("asked");
        // What is shared never reaches validator 3; what it asks for does.
        return !(message.type === "units" && to === 3 && lost.length === 0);
      },
    });
    const unit = net.submit(0, net.payment("alice", "bob", 1n));
    expect(net.run(5_000, isPayment(net, unit))).toBe(true);
    expect(net.run(20_000, () => net.isLevel())).toBe(true);
    expect(lost.length).toBeGreaterThan(0);
    const { validator, store } = net.peer(3);
    expect(validator.status().pulse).toBe(net.pulses.length);
    expect([...store.blocks()].length).toBeGreaterThan(4);
  });

  it("waits only where its author keeps the unit back, until those who have it are asked", () => {
    const net = new Net({
      // Validator 1 gives what it names to validator 2 alone, and answers nobody.
      filter: (from, to, message) => !(message.type === "units" && from === 1 && to !== 2),
    });
    const unit = net.submit(1, net.payment("alice", "bob", 1n));
    expect(net.run(20_000, isPayment(net, unit))).toBe(true);
    expect(net.run(20_000, () => net.isLevel())).toBe(true);
    for (const { refused } of net.peers) expect(refused).toEqual([]);
  });

  it("never counts while nobody has a unit that it names, and keeps nobody from going on", () => {
    const net = new Net();
    net.show(0, 1, naming(net, [{ form: "ab".repeat(32), forced: false }]));
    expect(net.peer(0).validator.status().waiting).toBe(1);
    expect(net.peer(0).validator.needsUnit("ab".repeat(32))).toBe(true);
    const unit = net.submit(0, net.payment("alice", "bob", 1n));
    expect(net.run(20_000, isPayment(net, unit))).toBe(true);
    expect(net.peer(0).refused).toEqual([]);
  });

  it("is refused if two forms that it names are one unit, or its units are over 1 MiB", () => {
    const net = new Net();
    const { ledger } = net;
    const signed = net.payment("alice", "bob", 1n);
    const again = {
      ...signed,
      authorization: {
        ...signed.authorization,
        signatures: [{ key: 0, signature: new Uint8Array(32).fill(7) }],
      },
    };
    give(net, signed, again);
    const named = [signed, again].map((one) => ({ form: ledger.formOf(one), forced: false }));
    net.show(0, 1, naming(net, named));
    expect(net.peer(0).refused).toEqual(["it carries a unit twice"]);
    const large = NAMED.map((name) => longPayment(net, name));
    give(net, ...large);
    net.show(0, 1, naming(net, large.map((one) => ({ form: ledger.formOf(one), forced: false }))));
    expect(net.peer(0).refused.at(-1)).toBe("its units are over 1 MiB");
  });

  it("comes back with its units after a crash, from the store alone", () => {
    const net = new Net();
    const units = ["alice", "bob"].map((name) => net.submit(0, net.payment(name, "carol", 1n)));
    const isCarried = (): boolean =>
      units.every((unit) =>
        net.peers.every(({ validator }) => validator.standing(unit) === "final")
      );
    expect(net.run(20_000, isCarried)).toBe(true);
    for (let i = 0; i < 4; i++) net.crash(i);
    for (let i = 0; i < 4; i++) net.restart(i);
    expect(net.run(20_000, () => units.every((unit) => isPayment(net, unit)()))).toBe(true);
    expect(net.peers.flatMap(({ refused }) => refused)).toEqual([]);
  });

  it("is smaller than the units that it names", () => {
    const net = new Net();
    const signed = net.payment("alice", "bob", 1n, { count: 128 });
    const unit = net.submit(0, signed);
    expect(net.run(20_000, () => net.outcomes(unit).length === 128)).toBe(true);
    const size = net.ledger.encodeSigned(signed).length;
    const { store } = net.peer(0);
    expect(store.unit(net.ledger.formOf(signed))?.length).toBe(size);
    for (const { bytes } of store.blocks()) expect(bytes.length).toBeLessThan(size / 10);
    const want = {
      type: "want" as const,
      session: 0,
      ids: [],
      fromRound: 0,
      rounds: 0,
      units: [net.ledger.formOf(signed)],
    };
    expect(encodeMessage(want).length).toBeLessThan(64);
  });
});
