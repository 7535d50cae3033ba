/**
 * A claim: what someone states, from when to when, and what the statement rests on. The variants of
 * subject and of basis are tagged, so that later ones leave the encoding of these as it is.
 */
import type { ObjectId, ValueOf } from "#internal/core/mod.ts";
import { encode, id, option, struct, text, toHex, u64, union } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

const CLAIM_TAG = "sion/claim/v1";
const MAX_SCHEMA_BYTES = 64;
/** Bytes of a payment's purpose. */
export const MAX_PURPOSE_BYTES = 1024;
/** Bytes of the name of a session or of a call within it. */
export const MAX_REFERENCE_BYTES = 128;

/** Schema of the receipt claims that the ledger issues for agents' payments. */
export const PAYMENT_RECEIPT_SCHEMA = "payment-receipt/v1";

const paymentSubject = struct({
  /** Digest of the payment. */
  transaction: id,
  charter: id,
  payee: id,
  asset: id,
  amount: u64,
  purpose: text(MAX_PURPOSE_BYTES),
  /** The agent session it was made in, and the call within the session, where they were named. */
  session: option(text(MAX_REFERENCE_BYTES)),
  call: option(text(MAX_REFERENCE_BYTES)),
});

const codec = struct({
  /** Who states it: an account. */
  issuer: id,
  schema: text(MAX_SCHEMA_BYTES),
  /** `payment`: what the ledger saw an agent pay. */
  subject: union({ payment: [0, paymentSubject] }),
  /** What it rests on. `execution`: the ledger itself did what the claim states. */
  basis: union({ execution: [0, struct({})] }),
  /** The Pulse it was issued in. */
  issued: u64,
  /** The last Pulse it is valid in; null without end. */
  validUntil: option(u64),
});

export type Claim = ValueOf<typeof codec>;

/** The id of a claim: a hash of all it says. */
export function claimId(claim: Claim): ObjectId {
  return toHex(taggedHash(CLAIM_TAG, encode(codec, claim)));
}

export const claimKind = defineObjectKind({
  name: "claim",
  tag: 48,
  codec,
  refs: (value: Claim) => ({ issuer: value.issuer, charter: value.subject.body.charter }),
  view: (value: Claim, at) => ({
    issuer: value.issuer,
    schema: value.schema,
    subject: { ...value.subject.body },
    basis: value.basis.kind,
    issued: value.issued,
    valid_until: value.validUntil,
    status: value.validUntil !== null && at.pulse > value.validUntil ? "Expired" : "Active",
  }),
});
