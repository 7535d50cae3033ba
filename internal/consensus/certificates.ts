/** Certificates' items, taken from held blocks: signed header and path of one statement. */
import { equalBytes } from "#internal/core/mod.ts";
import { logInclusionProof } from "#internal/merkle/mod.ts";
import type { CertificateItem } from "#internal/proofs/mod.ts";
import {
  encodeStatement,
  pulseStatementCodec,
  STATEMENT_TAGS,
  statementLeaf,
} from "#internal/proofs/mod.ts";
import type { Effect } from "./contract.ts";
import type { DagNode } from "./dag.ts";
import type { PulseVotes } from "./pulse_votes.ts";

/**
 * The item of a block that holds a statement with this encoding; undefined if it does not, or its
 * signature is not held any more.
 */
export function certificateItem(
  node: DagNode,
  statement: Uint8Array,
  signature: Uint8Array | undefined = node.signature,
): CertificateItem | undefined {
  if (signature === undefined) return undefined;
  const { header, encoded } = node.signed();
  const index = encoded.findIndex((encoding) => equalBytes(encoding, statement));
  if (index < 0) return undefined;
  return {
    header,
    signature,
    index,
    count: encoded.length,
    path: logInclusionProof(encoded.map(statementLeaf), index),
  };
}

/** Says which executed Pulses got a certificate, ascending. */
export function certifyPulses(votes: PulseVotes, effects: Effect[]): void {
  for (const { pulse, voters, facts } of votes.newCertificates()) {
    const { header, digest } = facts;
    const statement = encodeStatement(STATEMENT_TAGS.pulseVote, pulseStatementCodec, {
      pulse: header.number,
      header: digest,
    });
    const items = voters.flatMap(({ node, signature }) =>
      certificateItem(node, statement, signature) ?? []
    );
    effects.push({ type: "certified", number: pulse, certificate: { header, items } });
    votes.setCertified(pulse);
  }
}
