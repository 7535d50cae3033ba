/** What Pulses publish (the network checks each), and Pulses that have more to execute than fits. */
import { describe, expect, it } from "vitest";
import { decode, encode, toHex } from "#internal/core/mod.ts";
import { REACH } from "#internal/consensus/mod.ts";
import { MAX_PULSE_DATA_BYTES, orderedOf, pulseDataCodec } from "#internal/proofs/mod.ts";
import { NAMED } from "../ledger/_world.ts";
import { Net } from "./_net.ts";

/** Three or four of the network's units. */
const SMALL = { ...REACH, pulseBytes: 800 };

describe("published data", () => {
  it("holds the units with their signatures, and one encoding [L-600]", () => {
    const net = new Net();
    const signed = net.payment("alice", "bob", 1n);
    const unit = net.submit(0, signed);
    expect(net.run(10_000, () => net.receipts.has(unit))).toBe(true);
    const pulse = Number(net.receipts.get(unit)?.[0]?.pulse);
    const data = net.effects[pulse - 1]?.data as Uint8Array;
    const published = decode(pulseDataCodec, data);
    expect(encode(pulseDataCodec, published)).toEqual(data);
    expect(orderedOf(published)).toEqual([
      { type: "unit", forced: false, bytes: net.ledger.encodeSigned(signed) },
    ]);
    expect(data.length).toBeLessThan(MAX_PULSE_DATA_BYTES);
  });

  it("holds a slot that was settled, with the Stops that settled it [L-600]", () => {
    const net = new Net({ delayMs: [5, 5] });
    for (const [i, amount] of [[0, 1n], [1, 2n], [2, 3n], [3, 4n]] as const) {
      net.submit(i, net.payment("alice", "bob", amount, { sequence: 0n }));
    }
    const isVoid = (): boolean => net.all.some(({ outcome }) => outcome.kind === "void");
    expect(net.run(60_000, isVoid)).toBe(true);
    const effect = net.effects.find(({ receipts }) => receipts.length > 0);
    expect(decode(pulseDataCodec, effect?.data as Uint8Array).settled).toHaveLength(1);
    expect(effect?.locks[0]?.type).toBe("stops");
  });

  it("refuses settled slots at places that there are not", () => {
    const slot = { place: 1, account: "ab".repeat(32), sequence: 0n };
    const none = { anchors: [], times: [], links: [], evidence: [], units: [] };
    expect(orderedOf({ ...none, settled: [slot] })).toBeUndefined();
    expect(orderedOf({ ...none, settled: [{ ...slot, place: 0 }, { ...slot, place: 0 }] }))
      .toBeUndefined();
    expect(orderedOf({ ...none, settled: [{ ...slot, place: 0 }, slot] })).toHaveLength(2);
  });
});

describe("a Pulse that has more to execute than fits", () => {
  for (const seed of [1, 2]) {
    it(`leaves the rest to the next, across restarts and sessions, seed ${seed}`, () => {
      const net = new Net({
        seed,
        reach: SMALL,
        delayMs: [1, 30],
        parameters: { epochPulses: 6n },
      });
      const units: string[] = [];
      for (let k = 0; k < 32; k++) {
        units.push(net.submit(0, net.payment(NAMED[k % 4] ?? "", "bob", 1n, { count: 2 })));
        net.run(k % 12 === 11 ? 900 : 20);
        if (k % 16 === 8) net.crash(seed);
        if (k % 16 === 12) net.restart(seed);
      }
      expect(net.run(120_000, () => units.every((unit) => net.receipts.has(unit)))).toBe(true);
      for (let i = 0; i < 4; i++) net.crash(i);
      for (let i = 0; i < 4; i++) net.restart(i);
      expect(net.run(60_000, () => net.isLevel())).toBe(true);
      expect(units.flatMap((unit) => net.outcomes(unit)).every((kind) => kind === "success"))
        .toBe(true);
      const full = net.effects.filter(({ data }) => data.length > 800);
      expect(full.length).toBeGreaterThan(2);
      for (const { data } of full) {
        const bytes = decode(pulseDataCodec, data).units.map((unit) => unit.bytes.length + 4);
        const sum = bytes.reduce((total, size) => total + size, 0);
        expect(sum <= 800 || bytes.length === 1).toBe(true);
      }
      expect(new Set(net.effects.map(({ digest }) => toHex(digest))).size).toBe(net.effects.length);
    });
  }
});
