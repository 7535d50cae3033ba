/** Buckets and the narrowing of caveats. docs/protocol/ledger.md, Buckets and Narrowing. */
import type { Bucket, Caveats, Level } from "./objects.ts";

/** Why caveats in a body are none: amounts of 0 are refused. */
export function caveatsFault(caveats: Caveats): string | null {
  return caveats.maxPayment === 0n ? "an amount is 0" : null;
}

/** The level of a new bucket. */
export function fullLevel(bucket: Bucket, nowMs: bigint): Level {
  return { level: bucket.capacity, carry: 0n, atMs: nowMs };
}

/** The level with what has flowed in since it was touched last. */
export function touched(bucket: Bucket, level: Level, nowMs: bigint): Level {
  const earned = bucket.refill * (nowMs - level.atMs) + level.carry;
  const filled = level.level + earned / bucket.periodMs;
  if (filled >= bucket.capacity) return fullLevel(bucket, nowMs);
  return { level: filled, carry: earned % bucket.periodMs, atMs: nowMs };
}

function lesser(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

function inBoth(
  a: readonly string[] | null,
  b: readonly string[] | null,
): readonly string[] | null {
  if (a === null || b === null) return a ?? b;
  return a.filter((payee) => b.includes(payee));
}

function smallerBucket(a: Bucket | null, b: Bucket | null): Bucket | null {
  if (a === null || b === null) return a ?? b;
  const slower = b.refill * a.periodMs < a.refill * b.periodMs ? b : a;
  const capacity = a.capacity < b.capacity ? a.capacity : b.capacity;
  return { capacity, refill: slower.refill, periodMs: slower.periodMs };
}

/** What meets both, caveat by caveat; of two equally fast refills the first stays. */
export function narrowed(a: Caveats, b: Caveats): Caveats {
  return {
    payees: inBoth(a.payees, b.payees),
    maxPayment: lesser(a.maxPayment, b.maxPayment),
    bucket: smallerBucket(a.bucket, b.bucket),
    expires: lesser(a.expires, b.expires),
    receipts: a.receipts || b.receipts,
  };
}

/** The level of a bucket after its charter was narrowed from `before` to `after`. */
export function narrowedLevel(
  before: Bucket | null,
  after: Bucket | null,
  level: Level | null,
  nowMs: bigint,
): Level | null {
  if (after === null) return null;
  if (before === null || level === null) return fullLevel(after, nowMs);
  const now = touched(before, level, nowMs);
  if (now.level >= after.capacity) return fullLevel(after, nowMs);
  return before.periodMs === after.periodMs ? now : { ...now, carry: 0n };
}
