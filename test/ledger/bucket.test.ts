import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BucketTerms } from "../../internal/ledger/bucket.ts";
import {
  fullBucket,
  narrowedLevel,
  narrowerBucket,
  refilled,
} from "../../internal/ledger/bucket.ts";
import { narrowed } from "../../internal/ledger/caveats.ts";
import { caveatsOf } from "#internal/ledger/mod.ts";

const U64 = 2n ** 64n - 1n;
const amount = fc.bigInt({ min: 0n, max: U64 });
const small = fc.bigInt({ min: 0n, max: 1000n });
const terms: fc.Arbitrary<BucketTerms> = fc.oneof(amount, small).chain((capacity) =>
  fc.record({
    capacity: fc.constant(capacity === 0n ? 1n : capacity),
    refill: fc.oneof(amount, small),
    periodMs: fc.bigInt({ min: 1n, max: 100_000_000_000n }),
  })
);
const steps = fc.array(fc.bigInt({ min: 0n, max: 10_000_000n }), { maxLength: 30 });

describe("refilled()", () => {
  test("refilled() in many steps comes to the same as in one: nothing drifts [L-626]", () => {
    fc.assert(fc.property(terms, steps, amount, (of, waits, start) => {
      const level = start > of.capacity ? of.capacity : start;
      const begin = { level, carry: 0n, atMs: 0n };
      let now = 0n;
      let stepped = begin;
      for (const wait of waits) stepped = refilled(of, stepped, now += wait);
      expect(stepped).toEqual(refilled(of, begin, now));
    }));
  });

  test("refilled() is the floor of what was earned, at most the capacity", () => {
    fc.assert(fc.property(terms, fc.bigInt({ min: 0n, max: 10n ** 13n }), (of, elapsed) => {
      const empty = { level: 0n, carry: 0n, atMs: 5n };
      const earned = of.refill * elapsed / of.periodMs;
      const { level } = refilled(of, empty, 5n + elapsed);
      expect(level).toBe(earned < of.capacity ? earned : of.capacity);
    }));
  });

  test("refilled() never takes anything back when the time is not later", () => {
    const of = { capacity: 10n, refill: 1n, periodMs: 10n };
    const bucket = { level: 3n, carry: 4n, atMs: 100n };
    expect(refilled(of, bucket, 50n)).toEqual(bucket);
    expect(refilled(of, fullBucket(of, 7n), 7n)).toEqual({ level: 10n, carry: 0n, atMs: 7n });
  });
});

describe("narrowerBucket()", () => {
  test("narrowerBucket() never holds more, at any time, than either [L-630]", () => {
    fc.assert(fc.property(terms, terms, steps, (a, b, waits) => {
      const both = narrowerBucket(a, b);
      expect(both.capacity <= a.capacity && both.capacity <= b.capacity).toBe(true);
      for (const one of [a, b]) {
        expect(both.refill * one.periodMs <= one.refill * both.periodMs).toBe(true);
      }
      let now = 0n;
      let old = fullBucket(a, 0n);
      let narrow = narrowedLevel(a, both, old, 0n);
      for (const wait of waits) {
        now += wait;
        old = refilled(a, old, now);
        narrow = refilled(both, narrow, now);
        // A slower refill in another period may be ahead by what its first rounding took.
        expect(narrow.level <= old.level + 1n).toBe(true);
      }
    }));
  });
});

describe("narrowedLevel()", () => {
  test("narrowedLevel() keeps what a period earned, and drops it when the period changes", () => {
    const from = { capacity: 10n, refill: 1n, periodMs: 10n };
    const bucket = { level: 3n, carry: 0n, atMs: 0n };
    const same = { ...from, capacity: 8n };
    expect(narrowedLevel(from, same, bucket, 17n)).toEqual({ level: 4n, carry: 7n, atMs: 17n });
    const slower = { capacity: 10n, refill: 1n, periodMs: 20n };
    expect(narrowedLevel(from, slower, bucket, 17n)).toEqual({ level: 4n, carry: 0n, atMs: 17n });
  });
});

describe("narrowed()", () => {
  const payees = fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")));
  const caveats = fc.record({
    payees,
    maxPayment: fc.option(small),
    bucket: fc.option(terms),
    expires: fc.option(small),
    receipts: fc.boolean(),
  }).map(caveatsOf);

  test("narrowed() allows what both allow and nothing else [L-630]", () => {
    fc.assert(
      fc.property(caveats, caveats, fc.constantFrom("a", "b", "c", "d", "e"), (a, b, payee) => {
        const both = narrowed(a, b);
        const allows = (of: typeof a) => of.payees === null || of.payees.includes(payee);
        expect(allows(both)).toBe(allows(a) && allows(b));
        for (const one of [a, b]) {
          for (const field of ["maxPayment", "expires"] as const) {
            const limit = one[field];
            if (limit !== null) expect((both[field] ?? U64) <= limit).toBe(true);
          }
          expect(both.receipts || !one.receipts).toBe(true);
        }
        expect(narrowed(both, b)).toEqual(both);
        expect(narrowed(both, a)).toEqual(both);
      }),
    );
  });
});
