import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import {
  beaconKind,
  beaconSlot,
  challengedLeaves,
  keepsBeacon,
  leafCount,
  leafLength,
} from "#internal/ledger/mod.ts";
import { World } from "../_world.ts";

const DEAL = "a1".repeat(32);

describe("challengedLeaves()", () => {
  test("challengedLeaves() are what the protocol says, byte by byte [L-566]", () => {
    const tag = new TextEncoder().encode("sion/challenge/v1");
    const beacon = new Uint8Array(32).fill(7);
    const places = new Set<bigint>();
    for (let index = 0; index < 16; index++) {
      const fields = new Uint8Array(1 + tag.length + 32 + 32 + 8 + 1);
      fields[0] = tag.length;
      fields.set(tag, 1);
      fields.fill(7, 1 + tag.length, 33 + tag.length);
      fields.fill(0xa1, 33 + tag.length, 65 + tag.length);
      fields[65 + tag.length] = 2;
      fields[66 + tag.length] = 1;
      fields[73 + tag.length] = index;
      const number = BigInt(`0x${toHex(sha256(fields).subarray(0, 16))}`);
      places.add(number % 11n);
    }
    const terms = { deal: DEAL, size: 11n * 1024n - 1n, challenges: 16 };
    const drawn = challengedLeaves(beacon, terms, 258n);
    expect(drawn).toEqual([...places].sort((a, b) => Number(a - b)));
    expect(drawn.length).toBeLessThan(12);
  });

  test("challengedLeaves() are in the file, ascending, none twice, and hang on all of it", () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(
        bytes,
        fc.bigInt(1n, 2n ** 50n),
        fc.integer({ min: 1, max: 16 }),
        fc.bigInt(1n, 1_000_000n),
        (beacon, size, challenges, round) => {
          const terms = { deal: DEAL, size, challenges };
          const places = challengedLeaves(beacon, terms, round);
          expect(places.length).toBeLessThanOrEqual(challenges);
          expect(places.every((place) => place >= 0n && place < leafCount(size))).toBe(true);
          expect(places.every((place, at) => at === 0 || place > (places[at - 1] as bigint)))
            .toBe(true);
        },
      ),
    );
    const terms = { deal: DEAL, size: 2n ** 50n, challenges: 4 };
    const beacon = new Uint8Array(32);
    const drawn = [
      challengedLeaves(beacon, terms, 1n),
      challengedLeaves(beacon, terms, 2n),
      challengedLeaves(beacon, { ...terms, deal: "a2".repeat(32) }, 1n),
      challengedLeaves(new Uint8Array(32).fill(1), terms, 1n),
    ];
    expect(new Set(drawn.map(String)).size).toBe(4);
  });

  test("challengedLeaves() ask for each leaf about as often as for any other", () => {
    const counts = new Array<number>(8).fill(0);
    for (let round = 1n; round <= 4000n; round++) {
      const terms = { deal: DEAL, size: 8n * 1024n, challenges: 1 };
      const [place] = challengedLeaves(new Uint8Array(32), terms, round) as [bigint];
      counts[Number(place)]!++;
    }
    // 500 each, with a standard deviation of 21.
    for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(110);
  });
});

describe("leaves of a file", () => {
  test("leafCount() and leafLength() split all bytes and no more [L-648]", () => {
    expect([1n, 1024n, 1025n, 2n ** 50n].map(leafCount)).toEqual([1n, 1n, 2n, 2n ** 40n]);
    fc.assert(fc.property(fc.integer({ min: 1, max: 50_000 }), (size) => {
      const leaves = Number(leafCount(BigInt(size)));
      const lengths = Array.from(
        { length: leaves },
        (_, at) => leafLength(BigInt(size), BigInt(at)),
      );
      expect(lengths.reduce((sum, one) => sum + one, 0)).toBe(size);
      expect(lengths.slice(0, -1).every((one) => one === 1024)).toBe(true);
      expect(lengths.at(-1)).toBeGreaterThan(0);
    }));
  });
});

describe("kept beacons", () => {
  test("Ledger.execute() keeps the beacon of every eighth Pulse, over that of 100,000 before", () => {
    const world = new World();
    const kept = () => world.read(beaconKind, beaconSlot(world.pulse))?.pulse;
    for (let pulse = 1n; pulse <= 17n; pulse++) {
      world.execute([]);
      expect(kept()).toBe(
        pulse < 8n ? undefined : keepsBeacon(pulse) ? pulse : pulse < 16n ? 8n : 16n,
      );
      expect(world.last?.touched.has(beaconSlot(pulse))).toBe(keepsBeacon(pulse));
    }
    expect(beaconSlot(8n)).toBe(beaconSlot(100_008n));
    const slots = new Set(Array.from({ length: 12_500 }, (_, at) => beaconSlot(8n * BigInt(at))));
    expect(slots.size).toBe(12_500);
    world.pulse = 100_007n;
    world.execute([]);
    expect(kept()).toBe(100_008n);
  });
});
