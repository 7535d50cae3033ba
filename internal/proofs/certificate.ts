/**
 * Certificates: a quorum's signed block headers, each with the path of one statement to the header's
 * statements root. They need no block and no history to be checked.
 */
import type { Codec } from "#internal/core/mod.ts";
import {
  bytes32,
  byteString,
  encode,
  equalBytes,
  id,
  list,
  shortId,
  struct,
  toHex,
  u32,
} from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import { DUAL_SIGNATURE_BYTES } from "#internal/crypto/mod.ts";
import { verifyLogInclusion } from "#internal/merkle/mod.ts";
import type { BlockHeader } from "#internal/ledger/mod.ts";
import { blockHeaderCodec, blockId, statementLeaf } from "#internal/ledger/mod.ts";
import type { Header } from "./header.ts";
import { headerCodec, headerDigest } from "./header.ts";
import {
  encodeStatement,
  pulseStatementCodec,
  STATEMENT_TAGS,
  unitStatementCodec,
} from "#internal/ledger/mod.ts";
import type { Committee, CommitteeMember } from "./validator_set.ts";
import { MAX_COMMITTEE } from "./validator_set.ts";

/** A certificate's Confirms lie in rounds at most this far apart; a Confirm's votes so far below it. */
export const SPAN_ROUNDS = 64;
/** Statements a block may hold. */
export const MAX_STATEMENTS = 1 << 16;

/** One validator's statement: its signed header and the statement's place under it. */
export interface CertificateItem {
  readonly header: BlockHeader;
  readonly signature: Uint8Array;
  /** Place of the statement among the block's, and their number. */
  readonly index: number;
  readonly count: number;
  /** RFC 6962 inclusion path of the statement's leaf. */
  readonly path: readonly Uint8Array[];
}

/** A Pulse's certificate: PulseVotes of a quorum on its header. */
export interface PulseCertificate {
  readonly header: Header;
  readonly items: readonly CertificateItem[];
}

/** A lane certificate: Confirms of a quorum on a unit. From then on the unit is final. */
export interface LaneCertificate {
  /** Digest of the unit. */
  readonly unit: string;
  readonly items: readonly CertificateItem[];
}

/** What a certificate showed, or why it shows nothing. */
export type CertificateVerdict =
  | { readonly ok: true; readonly weight: bigint; readonly signers: number }
  | { readonly ok: false; readonly reason: string };

const OTHER_CHAIN = "the header is of another chain";

const itemCodec: Codec<CertificateItem> = struct({
  header: blockHeaderCodec,
  signature: byteString(DUAL_SIGNATURE_BYTES),
  index: u32,
  count: u32,
  path: list(bytes32, 32),
});

/** The encoding of a Pulse's certificate, as nodes serve it. */
export const pulseCertificateCodec: Codec<PulseCertificate> = struct({
  header: headerCodec,
  items: list(itemCodec, MAX_COMMITTEE),
});

/** The encoding of a lane certificate, as nodes serve it. */
export const laneCertificateCodec: Codec<LaneCertificate> = struct({
  unit: id,
  items: list(itemCodec, MAX_COMMITTEE),
});

/** What a certificate is checked against, its signatures aside. */
export interface CertificateSession {
  readonly chain: Uint8Array;
  readonly session: number;
  readonly committee: Committee;
}

/** What a certificate is checked against. */
export interface CertificateContext extends CertificateSession {
  /** Verifies the dual signatures. */
  readonly backend: Pick<DualBackend, "verify">;
}

/** A dual signature that is yet to be verified. */
export interface ClaimedSignature {
  /** Who is said to have signed. */
  readonly author: number;
  readonly publicKey: Uint8Array;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/** A certificate in which everything holds, if its signatures do; or what does not. */
export type CertificateClaim =
  | {
    readonly ok: true;
    readonly weight: bigint;
    readonly signers: number;
    readonly signatures: readonly ClaimedSignature[];
  }
  | { readonly ok: false; readonly reason: string };

/** Checks that PulseVotes of a quorum name exactly this header. Only verified items count. */
export async function verifyPulseCertificate(
  certificate: PulseCertificate,
  context: CertificateContext,
): Promise<CertificateVerdict> {
  const { header, items } = certificate;
  if (!equalBytes(header.chain, context.chain)) return { ok: false, reason: OTHER_CHAIN };
  return await verifyItems(items, pulseStatement(header), context);
}

/** What {@link verifyPulseCertificate} checks, but for the signatures: the caller verifies those. */
export function readPulseCertificate(
  { header, items }: PulseCertificate,
  context: CertificateSession,
): CertificateClaim {
  if (!equalBytes(header.chain, context.chain)) return { ok: false, reason: OTHER_CHAIN };
  const reading = readItems(items, pulseStatement(header), context);
  const signatures: ClaimedSignature[] = [];
  for (;;) {
    const { done, value } = reading.next();
    if (done !== true) signatures.push(value);
    else return value.ok ? { ...value, signatures } : value;
  }
}

function pulseStatement(header: Header): Uint8Array {
  return encodeStatement(STATEMENT_TAGS.pulseVote, pulseStatementCodec, {
    pulse: header.number,
    header: headerDigest(header),
  });
}

/**
 * Checks that Confirms of a quorum, in rounds below the unit's bound and within
 * {@link SPAN_ROUNDS} of each other, name this unit.
 * @param bound the first round in which statements on the unit no longer count.
 */
export async function verifyLaneCertificate(
  certificate: LaneCertificate,
  bound: number,
  context: CertificateContext,
): Promise<CertificateVerdict> {
  const rounds = certificate.items.map(({ header }) => header.round);
  if (rounds.some((round) => round >= bound)) {
    return { ok: false, reason: "a confirmation is too late for the unit" };
  }
  if (Math.max(...rounds) - Math.min(...rounds) > SPAN_ROUNDS) {
    return { ok: false, reason: `the confirmations are more than ${SPAN_ROUNDS} rounds apart` };
  }
  const statement = encodeStatement(STATEMENT_TAGS.confirm, unitStatementCodec, {
    unit: certificate.unit,
  });
  return await verifyItems(certificate.items, statement, context);
}

/**
 * The checks that both kinds share: distinct members, one session, paths, a quorum. Gives each
 * item's signature once the rest of the item holds, and in the end who signed, or what is wrong.
 */
function* readItems(
  items: readonly CertificateItem[],
  statement: Uint8Array,
  context: CertificateSession,
): Generator<ClaimedSignature, CertificateVerdict> {
  const { committee } = context;
  const leaf = statementLeaf(statement);
  let signers = 0;
  for (const item of items) {
    const fault = itemFault(item, leaf, signers, context);
    if (fault !== undefined) return { ok: false, reason: fault };
    const { author } = item.header;
    const { publicKey } = committee.members[author] as CommitteeMember;
    yield { author, publicKey, digest: blockId(item.header), signature: item.signature };
    signers |= 1 << author;
  }
  const weight = committee.weightOf(signers);
  if (weight < committee.quorum) {
    return {
      ok: false,
      reason: `${weight} of ${committee.total} stake signed, the quorum is ${committee.quorum}`,
    };
  }
  return { ok: true, weight, signers };
}

async function verifyItems(
  items: readonly CertificateItem[],
  statement: Uint8Array,
  context: CertificateContext,
): Promise<CertificateVerdict> {
  const reading = readItems(items, statement, context);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
    if (!await holds(value, context.backend)) {
      return { ok: false, reason: `a signature of validator ${value.author} is invalid` };
    }
  }
}

function holds(
  { publicKey, digest, signature }: ClaimedSignature,
  backend: CertificateContext["backend"],
): Promise<boolean> {
  return backend.verify(publicKey, digest, signature);
}

/** The first signature that does not hold; none after it is looked at. */
export async function firstForged(
  signatures: readonly ClaimedSignature[],
  backend: CertificateContext["backend"],
): Promise<ClaimedSignature | undefined> {
  for (const claimed of signatures) if (!await holds(claimed, backend)) return claimed;
  return undefined;
}

function itemFault(
  { header, index, count, path }: CertificateItem,
  leaf: Uint8Array,
  signers: number,
  { chain, session, committee }: CertificateSession,
): string | undefined {
  if (!equalBytes(header.chain, chain)) return "a block is of another chain";
  if (header.session !== session) return "a block is of another session";
  if (header.author >= committee.members.length) return "a block is of no validator";
  if ((signers & (1 << header.author)) !== 0) return `validator ${header.author} counts twice`;
  if (!verifyLogInclusion(header.statementsRoot, count, index, leaf, path)) {
    return `block ${shortId(toHex(blockId(header)))} does not hold the statement`;
  }
  return undefined;
}

/** A certificate's canonical bytes. */
export function encodePulseCertificate(certificate: PulseCertificate): Uint8Array {
  return encode(pulseCertificateCodec, certificate);
}
