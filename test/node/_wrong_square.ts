/** A Pulse that the whole committee certifies over a square that extends no data. */
import { decode, encode, fromHex, toHex } from "#internal/core/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { DataSquare, logInclusionProof, reconstruct } from "#internal/merkle/mod.ts";
import type { BadEncodingProof } from "#internal/merkle/mod.ts";
import type { BlockHeader, CertificateItem, Header } from "#internal/proofs/mod.ts";
import {
  badEncodingCodec,
  blockId,
  encodeStatement,
  headerCodec,
  headerDigest,
  headerProofCodec,
  lastRoundOf,
  pulseStatementCodec,
  shareProofCodec,
  squareCommitmentCodec,
  STATEMENT_TAGS,
  statementLeaf,
  statementsRoot,
  ZERO_HASH,
} from "#internal/proofs/mod.ts";
import type { MethodName } from "#internal/rpc/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { provenShares, withOneWrongShare } from "../merkle/_squares.ts";
import type { Lie } from "./_lying_node.ts";
import { devnet, honest, refuse } from "./_lying_node.ts";

/** What the committee certified, and what shows that it should not have. */
export interface WrongPulse {
  readonly header: Header;
  /** Canonical bytes. */
  readonly headerProof: Uint8Array;
  readonly square: DataSquare;
  readonly proof: BadEncodingProof;
}

/** Pulse `number` of the devnet with another data root, signed by every validator of it. */
export async function wrongPulse(number: number): Promise<WrongPulse> {
  const bytes = async (method: MethodName, params: object): Promise<Uint8Array> =>
    fromHex((await honest(method, params))["bytes"] as string);
  const { certificate, before } = decode(headerProofCodec, await bytes("header_proof", { number }));
  const right = before[0] ?? certificate.header;
  const square = withOneWrongShare(DataSquare.of(await bytes("published", { number })), 77);
  const header: Header = { ...right, dataRoot: square.root(right.chain) };
  const found = reconstruct(square.commitment, provenShares(square, Array(256).keys()));
  if (found.kind !== "bad-encoding") throw new Error(`The square is ${found.kind}`);
  const vote = encodeStatement(STATEMENT_TAGS.pulseVote, pulseStatementCodec, {
    pulse: header.number,
    header: headerDigest(header),
  });
  const items = await Promise.all(
    devnet.folder.validators.map(({ key }, author) => signedVote(header, vote, key.seed, author)),
  );
  const headerProof = encode(headerProofCodec, { before: [], certificate: { header, items } });
  return { header, headerProof, square, proof: found.proof };
}

/** A validator's block with one vote. */
async function signedVote(
  { version, chain, session, number, timeMs }: Header,
  vote: Uint8Array,
  seed: Uint8Array,
  author: number,
): Promise<CertificateItem> {
  const backend = await loadDualBackend("insecure");
  const header: BlockHeader = {
    version,
    chain,
    session,
    round: lastRoundOf(Number(number)) + 3,
    author,
    parents: [],
    timeMs,
    link: { value: ZERO_HASH, next: ZERO_HASH },
    bodyRoot: ZERO_HASH,
    statementsRoot: statementsRoot([vote]),
  };
  const keys = await backend.keysFromSeed(seed);
  const signature = await backend.sign(keys, blockId(header), systemRandom);
  return {
    header,
    signature,
    index: 0,
    count: 1,
    path: logInclusionProof([statementLeaf(vote)], 0),
  };
}

/** What a node says that stands by that Pulse; it serves the proof, or denies that there is one. */
export function liesOf(
  made: () => WrongPulse,
  serves: "the proof" | "no proof",
): Partial<Record<MethodName, Lie>> {
  const told = (make: (pulse: WrongPulse) => Uint8Array): Lie => (_answer) => {
    const { header } = made();
    return { bytes: toHex(make(made())), number: Number(header.number), pulse: 1_000_000 };
  };
  return {
    status: (answer) => ({ ...answer, certified_pulse: Number(made().header.number) }),
    header_proof: told(({ headerProof }) => headerProof),
    header: (answer, { number }) =>
      BigInt(number as number) === made().header.number
        ? { ...answer, bytes: toHex(encode(headerCodec, made().header)) }
        : answer,
    square_commitment: told(({ square }) => encode(squareCommitmentCodec, square.commitment)),
    shares: (answer, { places }) => ({
      ...answer,
      shares: (places as { row: number; column: number; through: "row" | "column" }[]).map((
        { row, column, through },
      ) => toHex(encode(shareProofCodec, made().square.prove(row, column, through)))),
    }),
    bad_encoding: serves === "no proof"
      ? refuse
      : told(({ proof }) => encode(badEncodingCodec, proof)),
  };
}
