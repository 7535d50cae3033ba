/** What the order makes of units, by hand: votes, bounds, stops, forced units. */
import { describe, expect, it } from "vitest";
import type { Ledger, Ordered, SignedUnit } from "#internal/ledger/mod.ts";
import { createLedger, genesisState } from "#internal/ledger/mod.ts";
import { committeeOf } from "#internal/proofs/mod.ts";
import { LaneOrder } from "../../internal/consensus/lane_order.ts";
import { MAX_ROUND, unitFacts } from "../../internal/consensus/unit_facts.ts";
import { accountOf, CHAIN, FUNDS, NAMED, payTo, policyOf } from "../ledger/_world.ts";

interface UnitOptions {
  readonly from?: string;
  readonly sequence?: bigint;
  readonly validUntil?: bigint;
  readonly count?: number;
}

class Lanes {
  readonly ledger: Ledger = createLedger();
  readonly order: LaneOrder;
  state;
  pulse = 1;
  /** The session's close can come nearer. */
  readonly term = { closeRound: MAX_ROUND };
  #block = 0;

  constructor() {
    const committee = committeeOf(
      [0, 1, 2, 3].map((i) => ({ publicKey: Uint8Array.of(i), stake: 100_000n })),
    );
    this.state = genesisState(this.ledger, {
      shards: 2,
      accounts: NAMED.map((name) => [accountOf(name), FUNDS] as const),
    });
    this.order = new LaneOrder(
      { committee, ledger: this.ledger, chain: CHAIN, term: this.term },
      this.state,
      1,
    );
  }

  /** A unit that the block of `round` carries. */
  carry(amount: bigint, round: number, options: UnitOptions & { forced?: boolean } = {}): string {
    const { from = "alice", sequence = 0n, validUntil = 20n, count = 1 } = options;
    const signed: SignedUnit = {
      unit: {
        chain: CHAIN,
        validUntil,
        maxFee: 1_000_000n,
        members: Array.from({ length: count }, (_, i) => ({
          account: accountOf(from),
          sequence: sequence + BigInt(i),
          ...payTo([accountOf("bob"), amount]),
        })),
      },
      authorization: {
        policy: policyOf(from),
        salts: Array.from({ length: count }, () => new Uint8Array(0)),
        signatures: [{ key: 0, signature: new Uint8Array(32) }],
      },
    };
    const facts = unitFacts(this.ledger, signed);
    const at = { round, author: 0, block: String(this.#block++).padStart(64, "0"), position: 0 };
    this.order.carry(facts, at, options.forced ?? false);
    return facts.digest;
  }

  votes(unit: string, round: number, authors: readonly number[]): void {
    for (const author of authors) this.order.vote(unit, author, round);
  }
  stops(authors: readonly number[], sequence = 0n, from = "alice"): void {
    for (const author of authors) {
      this.order.stop({ account: accountOf(from), sequence }, author, 9);
    }
  }
  /** What was ordered since: digests, `forced <digest>` and `void <sequence>`. */
  ordered(): string[] {
    return this.order.takeOrdered().map(({ item }) => this.#name(item));
  }
  #name(item: Ordered): string {
    if (item.type === "void") return `void ${item.sequence}`;
    return (item.forced ? "forced " : "") + this.ledger.unitDigest(item.signed.unit);
  }
  /** Executes the Pulse that is being ordered. */
  execute(): void {
    const ordered = this.order.takeOrdered().map(({ item }) => item);
    const input = { pulse: BigInt(this.pulse), timeMs: 0n, beacon: new Uint8Array(32), ordered };
    this.state = this.ledger.execute(this.state, input).state;
    this.order.pulseExecuted(this.state);
    this.pulse++;
  }
}

describe("unitFacts()", () => {
  it("bounds a unit by the first round of its last Pulse", () => {
    const lanes = new Lanes();
    const boundOf = (validUntil: bigint) => {
      const digest = lanes.carry(1n, 1, { validUntil });
      return lanes.order.entries.get(digest)?.facts.bound;
    };
    expect(boundOf(20n)).toBe(77);
    expect(boundOf(1n)).toBe(1);
    expect(boundOf(0n)).toBeUndefined();
    expect(boundOf(0xffff_ffff_ffff_ffffn)).toBe(MAX_ROUND);
  });
});

describe("LaneOrder", () => {
  it("counts votes below the session's close only, also when that comes nearer", () => {
    const lanes = new Lanes();
    const [early, late] = [lanes.carry(1n, 1), lanes.carry(2n, 1, { from: "bob" })];
    lanes.votes(early, 2, [0, 1]);
    lanes.votes(late, 2, [0, 1]);
    lanes.term.closeRound = 9;
    lanes.votes(early, 8, [2]);
    lanes.votes(late, 9, [2]);
    expect(lanes.ordered()).toEqual([early]);
    lanes.order.afterAnchor(9);
    expect(lanes.order.takeChanges().dead.map(({ digest }) => digest)).toEqual([late]);
  });

  it("executes a unit where its vote quorum completes, and once [L-596]", () => {
    const lanes = new Lanes();
    const unit = lanes.carry(1n, 1);
    lanes.votes(unit, 2, [0, 1]);
    expect(lanes.ordered()).toEqual([]);
    lanes.votes(unit, 2, [1, 2]);
    lanes.votes(unit, 3, [3]);
    expect(lanes.ordered()).toEqual([unit]);
    expect(lanes.order.next(accountOf("alice"))).toBe(1n);
  });

  it("counts no vote at or beyond the bound, and none before a carrier", () => {
    const lanes = new Lanes();
    lanes.votes("00".repeat(32), 1, [0, 1, 2]);
    const unit = lanes.carry(1n, 1, { validUntil: 2n });
    lanes.votes(unit, 5, [0, 1, 2]);
    expect(lanes.ordered()).toEqual([]);
    lanes.votes(unit, 4, [0, 1, 2]);
    expect(lanes.ordered()).toEqual([unit]);
  });

  it("buries a unit at the first anchor that reaches its bound", () => {
    const lanes = new Lanes();
    const unit = lanes.carry(1n, 1, { validUntil: 2n });
    lanes.votes(unit, 2, [0, 1]);
    lanes.order.afterAnchor(4);
    expect(lanes.order.takeChanges().dead).toEqual([]);
    lanes.order.afterAnchor(5);
    expect(lanes.order.takeChanges().dead.map(({ digest }) => digest)).toEqual([unit]);
    lanes.votes(unit, 4, [2]);
    expect(lanes.ordered()).toEqual([]);
  });

  it("executes the slots of a lane in order, a batch as one unit [L-573]", () => {
    const lanes = new Lanes();
    const second = lanes.carry(2n, 1, { sequence: 3n });
    const batch = lanes.carry(1n, 1, { count: 3 });
    lanes.votes(second, 2, [0, 1, 2]);
    expect(lanes.ordered()).toEqual([]);
    lanes.votes(batch, 2, [0, 1, 2]);
    expect(lanes.ordered()).toEqual([batch, second]);
    expect(lanes.order.next(accountOf("alice"))).toBe(4n);
  });

  it("voids a slot that a quorum stopped, and no rival executes afterwards", () => {
    const lanes = new Lanes();
    const rivals = [lanes.carry(1n, 1), lanes.carry(2n, 1)];
    lanes.votes(rivals[0] ?? "", 2, [0, 1]);
    lanes.votes(rivals[1] ?? "", 2, [2, 3]);
    lanes.stops([0, 1]);
    lanes.order.afterAnchor(6);
    expect(lanes.ordered()).toEqual([]);
    lanes.stops([3]);
    lanes.order.afterAnchor(7);
    expect(lanes.ordered()).toEqual(["void 0"]);
    lanes.votes(rivals[0] ?? "", 8, [2, 3]);
    expect(lanes.ordered()).toEqual([]);
    expect(lanes.order.takeChanges().dead).toHaveLength(2);
  });

  it("executes a unit with its vote quorum although the slot is stopped", () => {
    const lanes = new Lanes();
    const unit = lanes.carry(1n, 1);
    lanes.carry(2n, 1);
    lanes.stops([0, 1, 2, 3]);
    lanes.votes(unit, 2, [0, 1, 2]);
    lanes.order.afterAnchor(7);
    expect(lanes.ordered()).toEqual([unit]);
  });

  it("settles a stopped slot only when it is next", () => {
    const lanes = new Lanes();
    lanes.stops([0, 1, 2], 1n);
    lanes.order.afterAnchor(3);
    expect(lanes.ordered()).toEqual([]);
    const unit = lanes.carry(1n, 4);
    lanes.votes(unit, 5, [0, 1, 2]);
    lanes.order.afterAnchor(7);
    expect(lanes.ordered()).toEqual([unit, "void 1"]);
  });

  it("counts no Stop of an account that does not exist, nor far ahead of its next slot", () => {
    const lanes = new Lanes();
    lanes.stops([0, 1, 2], 0n, "nobody");
    lanes.stops([0, 1, 2], 64n);
    expect(lanes.order.stops.size).toBe(0);
    lanes.stops([0, 1, 2], 63n);
    expect(lanes.order.stops.size).toBe(1);
  });

  it("lets go of Stops with their slot", () => {
    const lanes = new Lanes();
    for (let sequence = 0n; sequence < 64n; sequence++) {
      for (const name of NAMED) lanes.stops([1], sequence, name);
    }
    expect(lanes.order.stops.size).toBe(256);
    const unit = lanes.carry(1n, 1);
    lanes.votes(unit, 2, [0, 1, 2]);
    expect(lanes.order.stops.size).toBe(255);
  });

  it("forgets carriers and votes below the horizon", () => {
    const lanes = new Lanes();
    const unit = lanes.carry(1n, 1, { validUntil: 1000n });
    lanes.votes(unit, 2, [0, 1]);
    lanes.order.afterAnchor(130);
    expect(lanes.order.entries.size).toBe(0);
    lanes.carry(1n, 131, { validUntil: 1000n });
    lanes.votes(unit, 132, [2]);
    expect(lanes.ordered()).toEqual([]);
    lanes.votes(unit, 132, [0, 1]);
    expect(lanes.ordered()).toEqual([unit]);
  });

  it("executes a forced unit without votes once a quorum stopped its slot [L-599]", () => {
    const lanes = new Lanes();
    const unit = lanes.carry(1n, 1, { forced: true });
    expect(lanes.order.forced.entries().map(({ due }) => due)).toEqual([false]);
    for (let pulse = 1; pulse <= 5; pulse++) lanes.execute();
    expect(lanes.order.forced.entries().map(({ due }) => due)).toEqual([true]);
    lanes.stops([0, 1, 2]);
    lanes.order.afterAnchor(22);
    expect(lanes.ordered()).toEqual([`forced ${unit}`]);
    expect(lanes.order.forced.entries()).toEqual([]);
  });

  it("admits no forced unit that is late, dear, out of turn or second of its account [L-599]", () => {
    const lanes = new Lanes();
    lanes.carry(1n, 1, { forced: true, validUntil: 12n });
    lanes.carry(2n * FUNDS, 1, { forced: true });
    lanes.carry(1n, 1, { forced: true, sequence: 1n });
    lanes.carry(1n, 1, { forced: true, count: 2 });
    expect(lanes.order.forced.entries()).toEqual([]);
    const first = lanes.carry(1n, 1, { forced: true });
    lanes.carry(2n, 1, { forced: true });
    expect(lanes.order.forced.entries().map(({ facts }) => facts.digest)).toEqual([first]);
  });

  it("counts a forced unit as overdue after eight Pulses, and voids its slot if it died [L-599]", () => {
    const lanes = new Lanes();
    lanes.carry(1n, 1, { forced: true, validUntil: 13n });
    for (let pulse = 1; pulse <= 10; pulse++) lanes.execute();
    expect(lanes.order.forced.overdue(9)).toBe(0);
    expect(lanes.order.forced.overdue(10)).toBe(1);
    lanes.order.afterAnchor(49);
    expect(lanes.order.forced.entries()).toHaveLength(1);
    lanes.stops([0, 1, 2]);
    lanes.order.afterAnchor(50);
    expect(lanes.ordered()).toEqual(["void 0"]);
    expect(lanes.order.forced.entries()).toEqual([]);
  });
});
