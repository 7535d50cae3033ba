/**
 * What a validator is slashed for: two things under its signature that contradict each other. Blocks
 * are signed, and what a block states is shown by its place under the block's statements root.
 * docs/protocol/staking.md, Evidence.
 */
import type { Codec } from "#internal/core/mod.ts";
import {
  bytes32,
  byteString,
  encode,
  equalBytes,
  id,
  list,
  option,
  struct,
  u32,
  u64,
  union,
} from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { DUAL_SIGNATURE_BYTES } from "#internal/crypto/mod.ts";
import { verifyLogInclusion } from "#internal/merkle/mod.ts";
import { unitBytesDigest } from "../unit_codec.ts";
import type { ChainlessHeader } from "./block_header.ts";
import { blockId, chainlessHeaderCodec, statementLeaf } from "./block_header.ts";
import {
  encodeStatement,
  pulseStatementCodec,
  STATEMENT_TAGS,
  stopStatementCodec,
  unitStatementCodec,
} from "./statements.ts";

/** Bytes of a unit in evidence: two of them, and what else it takes, fit a transaction. */
const MAX_EVIDENCE_UNIT_BYTES = 224 * 1024;
/** Nodes on the path of a statement. */
const MAX_PATH = 32;

const unitBytes = byteString(MAX_EVIDENCE_UNIT_BYTES);

const signed = {
  header: chainlessHeaderCodec,
  signature: byteString(DUAL_SIGNATURE_BYTES),
};

const signedCodec = struct(signed);

/** A statement's block and its place there. */
const shownCodec = struct({
  ...signed,
  index: u32,
  count: u32,
  path: list(bytes32, MAX_PATH),
});

/** A block's header and its author's signature. */
export type SignedBlock = ValueOf<typeof signedCodec>;
/** A statement of a block: the signed header and the way to its statements root. */
export type ShownStatement = ValueOf<typeof shownCodec>;

const onUnits = struct({
  /** Not of a later round than the second. */
  first: shownCodec,
  firstUnit: unitBytes,
  second: shownCodec,
  secondUnit: unitBytes,
});

const offences = union({
  /** Two headers of one round. */
  blocks: [0, struct({ first: signedCodec, second: signedCodec })],
  /** Votes, or confirmations, for two units on a slot, the later below the earlier's bound. */
  votes: [1, onUnits],
  confirms: [2, onUnits],
  /** A confirmation against an earlier stop of one of the unit's slots. */
  stopped: [
    3,
    struct({
      stop: shownCodec,
      account: id,
      sequence: u64,
      named: option(id),
      confirm: shownCodec,
      unit: unitBytes,
    }),
  ],
  /** PulseVotes on two headers of one Pulse. */
  pulse_votes: [
    4,
    struct({
      pulse: u64,
      first: shownCodec,
      firstHeader: bytes32,
      second: shownCodec,
      secondHeader: bytes32,
    }),
  ],
});

/** Two signed things of one validator and session. */
export type Offence = ValueOf<typeof offences>;

export const offenceCodec: Codec<Offence> = offences;

/** Votes or confirmations on two units. */
export type UnitsOffence = Extract<Offence, { kind: "votes" | "confirms" }>["body"];

/** Both signed headers, in the order in which they stand. */
export function signedOf(offence: Offence): readonly [SignedBlock, SignedBlock] {
  return offence.kind === "stopped"
    ? [offence.body.stop, offence.body.confirm]
    : [offence.body.first, offence.body.second];
}

/** What was signed under a header, on a chain. */
export function signedDigest(chain: Uint8Array, header: ChainlessHeader): Uint8Array {
  return blockId({ ...header, chain });
}

/** Why an offence shows nothing whatever the state is, signatures aside; undefined if it may. */
export function offenceFault(offence: Offence): string | undefined {
  const [{ header: first }, { header: second }] = signedOf(offence);
  if (first.session !== second.session) return "the blocks are of two sessions";
  switch (offence.kind) {
    case "blocks":
      if (first.round !== second.round) return "the blocks are of two rounds";
      return isSame(first, second) ? "the blocks are one" : undefined;
    case "votes":
    case "confirms":
      return unitsFault(offence.kind, offence.body);
    case "stopped":
      return stoppedFault(offence.body);
    case "pulse_votes":
      return pulseVotesFault(offence.body);
  }
}

function isSame(first: ChainlessHeader, second: ChainlessHeader): boolean {
  const [one, other] = [first, second].map((header) => encode(chainlessHeaderCodec, header));
  return equalBytes(one as Uint8Array, other as Uint8Array);
}

function unitsFault(
  kind: "votes" | "confirms",
  { first, firstUnit, second, secondUnit }: UnitsOffence,
): string | undefined {
  if (first.header.round > second.header.round) return "the first statement is the later one";
  const [one, other] = [unitBytesDigest(firstUnit), unitBytesDigest(secondUnit)];
  if (one === other) return "the statements are on one unit";
  const tag = kind === "votes" ? STATEMENT_TAGS.vote : STATEMENT_TAGS.confirm;
  return pathFault(first, onUnit(tag, one)) ?? pathFault(second, onUnit(tag, other));
}

function stoppedFault(
  { stop, account, sequence, named, confirm, unit }: Extract<Offence, { kind: "stopped" }>["body"],
): string | undefined {
  if (stop.header.round >= confirm.header.round) return "the stop is not the earlier one";
  const digest = unitBytesDigest(unit);
  if (digest === named) return "the stop names the unit";
  const stopped = encodeStatement(STATEMENT_TAGS.stop, stopStatementCodec, {
    account,
    sequence,
    named,
  });
  return pathFault(stop, stopped) ?? pathFault(confirm, onUnit(STATEMENT_TAGS.confirm, digest));
}

function pulseVotesFault(
  { pulse, first, firstHeader, second, secondHeader }: Extract<
    Offence,
    { kind: "pulse_votes" }
  >["body"],
): string | undefined {
  if (equalBytes(firstHeader, secondHeader)) return "the votes are on one header";
  const vote = (header: Uint8Array): Uint8Array =>
    encodeStatement(STATEMENT_TAGS.pulseVote, pulseStatementCodec, { pulse, header });
  return pathFault(first, vote(firstHeader)) ?? pathFault(second, vote(secondHeader));
}

function onUnit(tag: number, unit: string): Uint8Array {
  return encodeStatement(tag, unitStatementCodec, { unit });
}

function pathFault(
  { header, index, count, path }: ShownStatement,
  statement: Uint8Array,
): string | undefined {
  const leaf = statementLeaf(statement);
  return verifyLogInclusion(header.statementsRoot, count, index, leaf, path)
    ? undefined
    : "a block does not hold the statement";
}
