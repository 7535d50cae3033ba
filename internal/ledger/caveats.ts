/** What a charter allows: caveats that a payment must meet and that can only be narrowed. */
import type { Codec } from "#internal/core/mod.ts";
import { bool, id, list, option, struct, u64 } from "#internal/core/mod.ts";
import type { BucketTerms } from "./bucket.ts";
import { bucketFault, bucketTermsCodec, narrowerBucket } from "./bucket.ts";

/** Payees a charter may name. */
export const MAX_PAYEES = 64;

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
