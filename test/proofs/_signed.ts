/** Certificates made by hand under stand-in signatures. */
import { equalBytes } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import { logInclusionProof } from "#internal/merkle/mod.ts";
import type {
  BlockHeader,
  CertificateContext,
  CertificateItem,
  Committee,
  Genesis,
  Header,
} from "#internal/proofs/mod.ts";
import {
  blockId,
  committeeOf,
  encodeStatement,
  FORMAT_VERSION,
  genesisOf,
  headerDigest,
  pulseStatementCodec,
  STATEMENT_TAGS,
  statementLeaf,
  statementsRoot,
  unitStatementCodec,
  ZERO_HASH,
} from "#internal/proofs/mod.ts";
import { accountOf, FUNDS, START_MS } from "../ledger/_world.ts";

const CHAIN: Uint8Array = taggedHash("test/chain");

export function genesisWith(change: Partial<Genesis> = {}): Genesis {
  return {
    chainId: "sion-test-1",
    version: FORMAT_VERSION,
    shards: 2,
    timeMs: START_MS,
    validators: [0, 1, 2, 3].map((i) => ({
      publicKey: Uint8Array.of(1, 2, i),
      stake: 100_000n,
      operator: accountOf(`operator-${i}`),
    })),
    accounts: [[accountOf("alice"), FUNDS]],
    parameters: {},
    insecure: true,
    ...change,
  };
}

const committee: Committee = committeeOf(genesisWith().validators);

const sign = (publicKey: Uint8Array, digest: Uint8Array): Uint8Array =>
  taggedHash("test/signature", publicKey, digest);

export const context: CertificateContext = {
  chain: CHAIN,
  session: 0,
  committee,
  backend: {
    verify: (publicKey, digest, signature) =>
      Promise.resolve(equalBytes(signature, sign(publicKey, digest))),
  },
};

/** The header of Pulse 9. */
export const header: Header = {
  ...genesisOf(genesisWith(), createLedger()).header,
  chain: CHAIN,
  number: 9n,
};

export const pulseVote = (voted: Header = header): Uint8Array =>
  encodeStatement(STATEMENT_TAGS.pulseVote, pulseStatementCodec, {
    pulse: voted.number,
    header: headerDigest(voted),
  });

export const confirmOf = (unit: string): Uint8Array =>
  encodeStatement(STATEMENT_TAGS.confirm, unitStatementCodec, { unit });

/** The signed header of a block with a few statements, one of them the given; by a key if given. */
export function item(
  author: number,
  statement: Uint8Array,
  change: Partial<BlockHeader> = {},
  key?: Uint8Array,
): CertificateItem {
  const encoded = [confirmOf("11".repeat(32)), statement, confirmOf("22".repeat(32))];
  const blockHeader: BlockHeader = {
    version: FORMAT_VERSION,
    chain: CHAIN,
    session: 0,
    round: 40,
    author,
    parents: [],
    timeMs: 0n,
    link: { value: ZERO_HASH, next: ZERO_HASH },
    bodyRoot: ZERO_HASH,
    statementsRoot: statementsRoot(encoded),
    ...change,
  };
  const publicKey = key ?? committee.members[blockHeader.author]?.publicKey ?? ZERO_HASH;
  return {
    header: blockHeader,
    signature: sign(publicKey, blockId(blockHeader)),
    index: 1,
    count: encoded.length,
    path: logInclusionProof(encoded.map(statementLeaf), 1),
  };
}
