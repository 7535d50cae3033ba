/**
 * A claim: what someone states, from when to when, and what the statement rests on. What it says
 * never changes and is what its id hashes; beside it stands what became of it. The variants of
 * subject and of basis are tagged, so that later ones leave the encoding of these as it is.
 */
import type { CLAIM_STATUSES, ObjectId, ValueOf } from "#internal/core/mod.ts";
import {
  DISPUTE_PULSES,
  encode,
  FULL_DETECTION,
  id,
  MAX_SUBJECT_BYTES,
  option,
  struct,
  text,
  toHex,
  u16,
  u64,
  u8,
  union,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { atomId, bondId, bondNameCodec, EXECUTION } from "../claims/atom.ts";
import type { Formula } from "../claims/formula.ts";
import { atomFormula, formulaCodec, formulaText, idsNamed } from "../claims/formula.ts";
import type { Moment } from "../object_kind.ts";
import { defineObjectKind } from "../object_kind.ts";
import type { Say } from "../sentences.ts";
import { NO_NAMES, sayWith } from "../sentences.ts";

const CLAIM_TAG = "sion/claim/v1";
/** Bytes of the name of a claim's schema. */
export const MAX_SCHEMA_BYTES = 64;
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

/** What a receipt claim says of a payment. */
export type PaymentSubject = ValueOf<typeof paymentSubject>;

const noteSubject = struct({
  /** Digest of the transaction that issued it: so two claims of one wording are two claims. */
  transaction: id,
  text: text(MAX_SUBJECT_BYTES),
});

const trustBasis = struct({
  formula: formulaCodec,
  /** Who may find the claim false, with the bond that it has at stake for judging. */
  adjudicator: option(bondNameCodec),
  /** Thousandths: how often its being false would be noticed. 1 to 1000. */
  detection: u16,
});

const fields = {
  /** Who states it: an account. */
  issuer: id,
  schema: text(MAX_SCHEMA_BYTES),
  /** `payment`: what the ledger saw an agent pay. `note`: what the issuer says. */
  subject: union({ payment: [0, paymentSubject], note: [1, noteSubject] }),
  /** What it rests on. `execution`: the ledger itself did what the claim states. */
  basis: union({ execution: [0, struct({})], trust: [1, trustBasis] }),
  /** The Pulse it was issued in. */
  issued: u64,
  /** The last Pulse it is valid in; null without end. */
  validUntil: option(u64),
};
const statementCodec = struct(fields);

const standing = {
  /** Claims that stand below it, one on the other. */
  depth: u8,
  /** Atoms of its formula, those of claims that it rests on in their place. */
  atoms: u16,
  /** The Pulse in which its issuer took it back. */
  revoked: option(u64),
  /** The last dispute that its adjudicator did not decide. */
  disputed: option(struct({ by: id, since: u64 })),
  /** Found false by its adjudicator. */
  refuted: option(struct({ by: id, since: u64 })),
};
const codec = struct({ ...fields, ...standing });

/** What a claim says. */
export type Statement = ValueOf<typeof statementCodec>;
/** A claim in the state: what it says and what became of it. */
export type Claim = ValueOf<typeof codec>;
/** What a claim rests on that the ledger did not do itself. */
export type TrustBasis = ValueOf<typeof trustBasis>;

/** How much a claim rests on, all the way down. */
export type Extent = Pick<Claim, "depth" | "atoms">;

/** Nothing below but the ledger's own execution. */
export const ONLY_EXECUTION: Extent = { depth: 0, atoms: 1 };

/** A claim of which nothing became yet. */
export function newClaim(statement: Statement, { depth, atoms }: Extent): Claim {
  return { ...statement, depth, atoms, revoked: null, disputed: null, refuted: null };
}

/** How a claim stands. Only on an active one can anything be built. */
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** The id of a claim: a hash of all it says. */
export function claimId(statement: Statement): ObjectId {
  return toHex(taggedHash(CLAIM_TAG, encode(statementCodec, statement)));
}

/** How a claim stands at a moment: the gravest that is so. */
export function claimStatus(claim: Claim, { pulse }: Pick<Moment, "pulse">): ClaimStatus {
  if (claim.refuted) return "Refuted";
  if (claim.revoked !== null) return "Revoked";
  if (claim.validUntil !== null && pulse > claim.validUntil) return "Expired";
  return isDisputed(claim, pulse) ? "Disputed" : "Active";
}

/** Whether a dispute waits for the adjudicator. */
export function isDisputed({ disputed }: Claim, pulse: bigint): boolean {
  return disputed !== null && pulse <= disputed.since + DISPUTE_PULSES;
}

/** What a claim rests on, as a formula. */
export function formulaOf({ basis }: Statement): Formula {
  return basis.kind === "execution" ? atomFormula(EXECUTION) : basis.body.formula;
}

/** Who may judge a claim; null when nobody can. */
export function adjudicatorOf({ basis }: Statement): TrustBasis["adjudicator"] {
  return basis.kind === "execution" ? null : basis.body.adjudicator;
}

/** What a claim states, in words. */
export function subjectText({ subject }: Statement, say: Say): string {
  if (subject.kind === "note") return subject.body.text;
  const { amount, asset, payee, purpose } = subject.body;
  const why = purpose === "" ? "" : `, for ${say.quote(purpose)}`;
  return `paid ${say.amount(amount, asset)} to ${say.account(payee)}${why}`;
}

/** The ids of the bonds that a claim names itself, each once, as they first stand. */
export function bondsOf(statement: Statement): readonly string[] {
  return idsNamed(formulaOf(statement), "bond");
}

/** The ids of the bonds of who is to judge a claim and of the adjudicators that its formula names. */
function judgesOf(statement: Statement): readonly string[] {
  const judge = adjudicatorOf(statement);
  return [...(judge ? [bondId(judge)] : []), ...idsNamed(formulaOf(statement), "judge")];
}

export const claimKind = defineObjectKind({
  name: "claim",
  tag: 48,
  codec,
  idOf: (value: Claim) => claimId(value),
  refs: (value: Claim) => ({
    issuer: value.issuer,
    charter: value.subject.kind === "payment" ? value.subject.body.charter : null,
    ...numbered("bond", bondsOf(value)),
    ...numbered("claim", idsNamed(formulaOf(value), "claim")),
    ...numbered("judge", judgesOf(value)),
  }),
  view: (value: Claim, at) => ({
    issuer: value.issuer,
    schema: value.schema,
    subject: value.subject.kind === "payment" ? { ...value.subject.body } : value.subject.body.text,
    basis: value.basis.kind,
    formula: formulaText(formulaOf(value), sayWith(NO_NAMES)),
    adjudicator: adjudicatorView(value),
    detection_permille: value.basis.kind === "trust" ? value.basis.body.detection : FULL_DETECTION,
    issued: value.issued,
    valid_until: value.validUntil,
    revoked: value.revoked,
    disputed: value.disputed && { ...value.disputed },
    refuted: value.refuted && { ...value.refuted },
    status: claimStatus(value, at),
  }),
});

function adjudicatorView(statement: Statement) {
  const judge = adjudicatorOf(statement);
  return judge && { ...judge, atom: atomId({ kind: "adjudicator", body: judge }) };
}

function numbered(role: string, ids: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(ids.map((id, at) => [`${role}_${at}`, id]));
}
