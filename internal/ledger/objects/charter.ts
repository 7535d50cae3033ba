/**
 * A charter: what an agent may spend, set by whoever stands above it. A charter given by an agent is
 * under one of that agent's own, and a payment under it must meet every charter above as well.
 */
import type { Codec } from "#internal/core/mod.ts";
import { formatUsdGrouped, id, option, struct, u64 } from "#internal/core/mod.ts";
import type { BucketLevel } from "../bucket.ts";
import { bucketLevelCodec, refilled } from "../bucket.ts";
import type { Caveats } from "../caveats.ts";
import { caveatsCodec } from "../caveats.ts";
import type { Moment } from "../object_kind.ts";
import { defineObjectKind } from "../object_kind.ts";

export interface Charter {
  /** Identity of the agent it is for. */
  readonly agent: string;
  /** The account that gave it. */
  readonly giver: string;
  /** The giver's own charter that it is under; null when a person gave it. */
  readonly parent: string | null;
  /** In force now, narrowings included. */
  readonly caveats: Caveats;
  /** Present when `caveats.bucket` is. */
  readonly bucket: BucketLevel | null;
  /** The Pulse it was made in. */
  readonly made: bigint;
  /** The Pulse it was last narrowed in. */
  readonly narrowed: bigint | null;
  readonly revoked: { readonly by: string; readonly since: bigint } | null;
}

const codec: Codec<Charter> = struct({
  agent: id,
  giver: id,
  parent: option(id),
  caveats: caveatsCodec,
  bucket: option(bucketLevelCodec),
  made: u64,
  narrowed: option(u64),
  revoked: option(struct({ by: id, since: u64 })),
});

export const charterKind = defineObjectKind({
  name: "charter",
  tag: 24,
  codec,
  refs: ({ agent, giver, parent }: Charter) => ({ agent, giver, parent }),
  view: (value: Charter, at) => ({
    agent: value.agent,
    giver: value.giver,
    parent: value.parent,
    payees: value.caveats.payees,
    max_payment: value.caveats.maxPayment,
    bucket: value.caveats.bucket && {
      capacity: value.caveats.bucket.capacity,
      refill: value.caveats.bucket.refill,
      period_ms: value.caveats.bucket.periodMs,
      level: bucketLevel(value, at),
    },
    expires: value.caveats.expires,
    receipts: value.caveats.receipts,
    made: value.made,
    narrowed: value.narrowed,
    revoked: value.revoked && { ...value.revoked },
  }),
});

/** What the bucket holds at a moment; null without a bucket. */
function bucketLevel({ caveats, bucket }: Charter, { timeMs }: Moment): bigint | null {
  return caveats.bucket && bucket ? refilled(caveats.bucket, bucket, timeMs).level : null;
}

/** Why a charter lets nothing through any more, whoever is paid; else undefined. */
export function charterEnd(
  { revoked, caveats }: Charter,
  { pulse }: Moment,
): "revoked" | "expired" | undefined {
  if (revoked) return "revoked";
  return caveats.expires !== null && pulse > caveats.expires ? "expired" : undefined;
}

/**
 * The caveat that a payment at a moment would violate, in the words of a receipt; else undefined. A
 * payee who is not known yet is on no list.
 */
export function caveatFault(
  charter: Charter,
  payment: { readonly payee: string | null; readonly amount: bigint },
  at: Moment,
): string | undefined {
  const end = charterEnd(charter, at);
  if (end !== undefined) return end;
  const { payees, maxPayment } = charter.caveats;
  if (payees && (payment.payee === null || !payees.includes(payment.payee))) {
    return "payee not allowed";
  }
  if (maxPayment !== null && payment.amount > maxPayment) return "over the per-payment limit";
  const level = bucketLevel(charter, at);
  if (level !== null && payment.amount > level) {
    return `bucket holds only ${formatUsdGrouped(level)} USD`;
  }
  return undefined;
}

/** The charter with a payment taken from its bucket, which must hold it. */
export function charged(charter: Charter, amount: bigint, { timeMs }: Moment): Charter {
  const { caveats, bucket } = charter;
  if (!caveats.bucket || !bucket) return charter;
  const now = refilled(caveats.bucket, bucket, timeMs);
  return { ...charter, bucket: { ...now, level: now.level - amount } };
}
