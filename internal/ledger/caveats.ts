/** What a charter allows: caveats that a payment must meet and that can only be narrowed. */
import type { Codec } from "#internal/core/mod.ts";
import { bool, id, list, option, struct, u64 } from "#internal/core/mod.ts";
import type { BucketTerms } from "./bucket.ts";
import { bucketFault, bucketTermsCodec, narrowerBucket } from "./bucket.ts";
import type { Say } from "./sentences.ts";

/** Payees a charter may name. */
const MAX_PAYEES = 64;

/** A null caveat limits nothing. */
export interface Caveats {
  /** Accounts that may be paid, in ascending order; null is any account, an empty list none. */
  readonly payees: readonly string[] | null;
  /** Micro-USD: the most of one payment. */
  readonly maxPayment: bigint | null;
  /** What may be spent at once and how fast that refills. */
  readonly bucket: BucketTerms | null;
  /** The last Pulse in which a payment may execute. */
  readonly expires: bigint | null;
  /** Whether each payment issues a receipt claim. */
  readonly receipts: boolean;
}

/** The encoding of caveats. */
export const caveatsCodec: Codec<Caveats> = struct({
  payees: option(list(id, MAX_PAYEES)),
  maxPayment: option(u64),
  bucket: option(bucketTermsCodec),
  expires: option(u64),
  receipts: bool,
});

/** No caveat at all. */
export const NO_CAVEATS: Caveats = {
  payees: null,
  maxPayment: null,
  bucket: null,
  expires: null,
  receipts: false,
};

/** The fault of caveats that no charter can have, else undefined. */
export function caveatsFault({ payees, maxPayment, bucket }: Caveats): string | undefined {
  if (payees) {
    for (let i = 1; i < payees.length; i++) {
      if ((payees[i - 1] as string) >= (payees[i] as string)) {
        return "payees must be distinct and in ascending order";
      }
    }
  }
  if (maxPayment === 0n) return "the most of one payment must be above 0";
  return bucket ? bucketFault(bucket) : undefined;
}

function lesser(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/** Both at once: what meets the result meets each. So adding caveats never widens anything. */
export function narrowed(a: Caveats, b: Caveats): Caveats {
  const { payees } = b;
  return {
    payees: a.payees && payees
      ? a.payees.filter((payee) => payees.includes(payee))
      : a.payees ?? payees,
    maxPayment: lesser(a.maxPayment, b.maxPayment),
    bucket: a.bucket && b.bucket ? narrowerBucket(a.bucket, b.bucket) : a.bucket ?? b.bucket,
    expires: lesser(a.expires, b.expires),
    receipts: a.receipts || b.receipts,
  };
}

/** Caveats from those that limit something, in canonical order. Payees may come in any order. */
export function caveatsOf(
  some: Partial<Omit<Caveats, "payees">> & { readonly payees?: Iterable<string> | null },
): Caveats {
  const { payees = null } = some;
  return {
    ...NO_CAVEATS,
    ...some,
    payees: payees === null ? null : [...new Set(payees)].sort(),
  };
}

const UNITS: readonly (readonly [bigint, string])[] = [
  [604_800_000n, "week"],
  [86_400_000n, "day"],
  [3_600_000n, "hour"],
  [60_000n, "minute"],
  [1000n, "second"],
  [1n, "millisecond"],
];

/** A refill period as words: `a day`, `every 3 hours`. */
function everyText(periodMs: bigint): string {
  const [unit, name] = UNITS.find(([ms]) => periodMs % ms === 0n) ?? [1n, "millisecond"];
  const count = periodMs / unit;
  if (count > 1n) return `every ${count} ${name}s`;
  return name === "hour" ? "an hour" : `a ${name}`;
}

/** Caveats as words: `to bob only, at most 5 USD a payment, until Pulse 900`. */
export function caveatsText(caveats: Caveats, say: Say): string {
  const { payees, maxPayment, bucket, expires, receipts } = caveats;
  const parts: string[] = [];
  if (payees) {
    parts.push(payees.length === 0 ? "to nobody" : `to ${say.list(payees.map(say.account))} only`);
  }
  if (maxPayment !== null) parts.push(`at most ${say.amount(maxPayment)} a payment`);
  if (bucket) {
    const refill = bucket.refill === 0n
      ? "in all"
      : `at once, refilled by ${say.amount(bucket.refill)} ${everyText(bucket.periodMs)}`;
    parts.push(`at most ${say.amount(bucket.capacity)} ${refill}`);
  }
  if (expires !== null) parts.push(`until Pulse ${expires}`);
  if (receipts) parts.push("with receipt claims");
  return parts.length === 0 ? "without limits" : parts.join(", ");
}
