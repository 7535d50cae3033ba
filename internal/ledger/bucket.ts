/**
 * A token bucket: what may be spent at once, and how fast that comes back. It fills by ledger time,
 * computed when it is touched, in whole numbers: what a fraction of a period earned is carried, so
 * that nothing drifts, and never counted before it is whole.
 */
import type { Codec } from "#internal/core/mod.ts";
import { struct, u64 } from "#internal/core/mod.ts";

/** What a bucket allows. Amounts are micro-units. */
export interface BucketTerms {
  /** The most that it holds. */
  readonly capacity: bigint;
  /** Comes back every `periodMs`; 0 for a bucket that is a budget. */
  readonly refill: bigint;
  /** Milliseconds, at least 1. */
  readonly periodMs: bigint;
}

/** A bucket at the time it was last touched. */
export interface BucketLevel {
  readonly level: bigint;
  /** Numerator over `periodMs` of what is earned beyond `level`, below one micro-unit. */
  readonly carry: bigint;
  /** Ledger time, milliseconds. */
  readonly atMs: bigint;
}

/** The encoding of a bucket's terms. */
export const bucketTermsCodec: Codec<BucketTerms> = struct({
  capacity: u64,
  refill: u64,
  periodMs: u64,
});

/** The encoding of a bucket's level. */
export const bucketLevelCodec: Codec<BucketLevel> = struct({ level: u64, carry: u64, atMs: u64 });

/** The fault of terms that no charter can have, else undefined. */
export function bucketFault({ capacity, periodMs }: BucketTerms): string | undefined {
  if (capacity === 0n) return "a bucket's capacity must be above 0";
  return periodMs === 0n ? "a bucket's refill period must be at least 1 ms" : undefined;
}

/** A bucket that is full. */
export function fullBucket(terms: BucketTerms, timeMs: bigint): BucketLevel {
  return { level: terms.capacity, carry: 0n, atMs: timeMs };
}

/** The bucket at a later time: min(capacity, level + refill · Δtime / period). */
export function refilled(terms: BucketTerms, bucket: BucketLevel, timeMs: bigint): BucketLevel {
  const elapsed = timeMs > bucket.atMs ? timeMs - bucket.atMs : 0n;
  const earned = terms.refill * elapsed + bucket.carry;
  const level = bucket.level + earned / terms.periodMs;
  const atMs = bucket.atMs + elapsed;
  if (level >= terms.capacity) return { level: terms.capacity, carry: 0n, atMs };
  return { level, carry: earned % terms.periodMs, atMs };
}

/** The lower capacity and the slower refill of two. */
export function narrowerBucket(a: BucketTerms, b: BucketTerms): BucketTerms {
  const capacity = a.capacity < b.capacity ? a.capacity : b.capacity;
  const slower = a.refill * b.periodMs <= b.refill * a.periodMs ? a : b;
  return { capacity, refill: slower.refill, periodMs: slower.periodMs };
}

/**
 * The level under narrower terms: never above what it was. A carry counts in the old period, so it
 * is dropped when the period changes.
 */
export function narrowedLevel(
  from: BucketTerms,
  to: BucketTerms,
  bucket: BucketLevel,
  timeMs: bigint,
): BucketLevel {
  const now = refilled(from, bucket, timeMs);
  if (now.level >= to.capacity) return { level: to.capacity, carry: 0n, atMs: now.atMs };
  return { ...now, carry: from.periodMs === to.periodMs ? now.carry : 0n };
}
