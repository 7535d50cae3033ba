/** The oracle of storage deals sees what it is there for, and nothing in what is allowed. */
import { describe, expect, it } from "vitest";
import type { LedgerObject, SignedUnit, StorageDeal } from "#internal/ledger/mod.ts";
import { beaconSlot } from "#internal/ledger/mod.ts";
import { accept, close, FILE, placesOf, postDeal, prove, shownOf } from "../ledger/_storage.ts";
import { accountOf, beaconOf, usd, World } from "../ledger/_world.ts";
import type { StoragePulse } from "./storage_oracle.ts";
import { StorageOracle } from "./storage_oracle.ts";

/** A world whose every Pulse an oracle has seen, with a deal that bob proves round 1 of. */
class Seen {
  readonly world = new World();
  readonly oracle = new StorageOracle();
  readonly deal: string;

  constructor() {
    [this.deal = ""] = this.does("alice", postDeal());
    this.does("bob", accept(this.deal));
    this.passTo(8n);
  }

  /** Executes a transaction; the ids of what it made. */
  does(by: string, action: Parameters<World["unit"]>[1][number]): readonly string[] {
    const signed = this.world.unit(by, [action]);
    const { receipts } = this.world.execute([signed]);
    this.oracle.pulse(this.seen({ receipts }), () => knownOf(signed));
    return receipts[0]?.made ?? [];
  }

  passTo(pulse: bigint): void {
    while (this.world.pulse < pulse) {
      this.world.execute([]);
      this.oracle.pulse(this.seen(), () => undefined);
    }
  }

  /** The newest Pulse, as an oracle sees it. */
  seen(more: Partial<StoragePulse> = {}): StoragePulse {
    const { pulse, state } = this.world;
    const header = { beacon: beaconOf(pulse) };
    return { number: Number(pulse), receipts: [], state, header, ...more };
  }

  get value(): StorageDeal {
    return this.world.state.at(this.deal)?.value as StorageDeal;
  }

  /** Shows the oracle a next Pulse in which an object is another. */
  showing(key: string, value: object): () => void {
    const { state, pulse } = this.world;
    const changed = (at: string, object: LedgerObject | undefined) =>
      at === key && object !== undefined ? { ...object, value } : object;
    const other = {
      at: (at: string) => changed(at, state.at(at)),
      *entries() {
        for (const [at, object] of state.entries()) yield [at, changed(at, object)] as const;
      },
    } as StoragePulse["state"];
    const header = { beacon: beaconOf(pulse + 1n) };
    const next = { number: Number(pulse) + 1, receipts: [], state: other, header };
    return () => this.oracle.pulse(next, () => undefined);
  }
}

function knownOf(signed: SignedUnit) {
  return {
    digest: "",
    validUntil: 0n,
    slots: [],
    isCertain: false,
    isForbidden: false,
    signed,
  };
}

describe("StorageOracle", () => {
  it("allows a deal to be posted, accepted, proven, missed and closed, and counts", () => {
    const seen = new Seen();
    seen.does("bob", prove(seen.deal, 1n));
    seen.passTo(40n);
    seen.does("bob", prove(seen.deal, 3n));
    seen.passTo(71n);
    seen.does("bob", close(seen.deal));
    seen.passTo(80n);
    expect([seen.oracle.proven, seen.oracle.closed]).toEqual([2, 1]);
    const [other = ""] = seen.does("alice", postDeal());
    seen.does("alice", close(other));
    expect(seen.oracle.closed).toBe(2);
  });

  it("refuses terms that change, hands that change, rounds that were not proven", () => {
    const seen = new Seen();
    seen.does("bob", prove(seen.deal, 1n));
    const { value, deal } = seen;
    const active = (more: object) => ({
      ...value,
      phase: { kind: "active", body: { ...value.phase.body, ...more } },
    });
    expect(seen.showing(deal, { ...value, price: 1n })).toThrow("has other terms");
    expect(seen.showing(deal, { ...value, provider: accountOf("carol") })).toThrow("changed hands");
    expect(seen.showing(deal, active({ proven: 2n }))).toThrow("counts other proofs");
    expect(seen.showing(deal, active({ last: 2n }))).toThrow("counts other proofs");
    expect(seen.showing(deal, active({ start: 16n }))).toThrow("counts other proofs");
    expect(seen.showing(deal, { ...value, phase: { kind: "open", body: {} } }))
      .toThrow("was opened again");
  });

  it("refuses a close before the end, and other sums than are owed", () => {
    const seen = new Seen();
    seen.does("bob", prove(seen.deal, 1n));
    const { deal } = seen;
    const closed = (more: object) => ({
      ...seen.value,
      phase: {
        kind: "closed",
        body: {
          at: seen.world.pulse + 1n,
          proven: 1n,
          missed: 3n,
          paid: usd(0.25),
          refund: usd(0.75),
          returned: 0n,
          forfeited: usd(1),
          ...more,
        },
      },
    });
    expect(seen.showing(deal, closed({}))).toThrow("was closed before its end");
    seen.passTo(72n);
    for (
      const more of [
        { paid: usd(0.5), refund: usd(0.5) },
        { missed: 2n },
        { forfeited: usd(0.75), returned: usd(0.25) },
        { refund: usd(1) },
        { at: 9n },
      ]
    ) expect(seen.showing(deal, closed(more))).toThrow("pays other sums than are owed");
    seen.does("bob", close(deal));
    expect(seen.showing(deal, closed({}))).toThrow("changed after it was closed");
  });

  it("refuses proofs that count out of their round, twice, of other leaves, of others", () => {
    const seen = new Seen();
    const { deal, world, oracle } = seen;
    const counted = (by: string, action: ReturnType<typeof prove>) => {
      const signed = world.unit(by, [action]);
      const receipt = {
        kind: "storage_prove",
        account: accountOf(by),
        index: 0,
        unit: "",
        outcome: { kind: "success" },
      };
      const number = Number(world.pulse) + 1;
      const header = { beacon: beaconOf(BigInt(number)) };
      const next = { number, receipts: [receipt], state: world.state, header };
      return () => oracle.pulse(next as unknown as StoragePulse, () => knownOf(signed));
    };
    expect(counted("carol", prove(deal, 1n))).toThrow("by who does not keep it");
    expect(counted("bob", prove(deal, 2n))).toThrow("out of round 2");
    const others = [0n, 1n, 2n, 3n, 4n].filter((place) => !placesOf(deal, 1n).includes(place));
    const leaves = shownOf(FILE, others.slice(0, placesOf(deal, 1n).length));
    const wrong = { kind: "storage_prove" as const, body: { deal, round: 1n, leaves } };
    expect(counted("bob", wrong)).toThrow("by other leaves");
    seen.does("bob", prove(deal, 1n));
    expect(counted("bob", prove(deal, 1n))).toThrow("twice in round 1");
  });

  it("refuses a beacon that is kept of another Pulse, or is another", () => {
    const seen = new Seen();
    const slot = beaconSlot(8n);
    const kept = seen.world.state.at(slot)?.value as object;
    expect(seen.showing(slot, { ...kept, beacon: "00".repeat(32) })).toThrow(
      "keeps another beacon",
    );
    expect(seen.showing(slot, { ...kept, pulse: 0n })).toThrow("keeps another beacon");
    expect(seen.showing(slot, kept)).not.toThrow();
  });
});
