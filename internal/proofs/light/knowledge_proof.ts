/** That a claim is in the knowledge log, and that the log only grew. */
import type { Codec } from "#internal/core/mod.ts";
import { bytes32, idBytes, list, option, struct, u64 } from "#internal/core/mod.ts";
import { verifyLogConsistency, verifyLogInclusion } from "#internal/merkle/mod.ts";
import type { Header } from "../header.ts";

/** Bound of the encoding: two paths of at most 128 hashes. */
export const MAX_KNOWLEDGE_PROOF_BYTES = 1 << 14;

/** What is shown of the knowledge log under a header. */
export interface KnowledgeProof {
  /** The claim's place and its path. */
  readonly inclusion: { readonly index: bigint; readonly path: readonly Uint8Array[] } | null;
  /** That the log began with the first `from` claims, by RFC 9162. */
  readonly consistency: { readonly from: bigint; readonly path: readonly Uint8Array[] } | null;
}

/** The encoding in which nodes serve it. */
export const knowledgeProofCodec: Codec<KnowledgeProof> = struct({
  inclusion: option(struct({ index: u64, path: list(bytes32, 64) })),
  consistency: option(struct({ from: u64, path: list(bytes32, 128) })),
});

type Knowledge = Pick<Header, "knowledgeRoot" | "knowledgeSize">;

/** Whether the claim (64 hex digits) is in the log under a header. Untrusted proofs give false. */
export function verifyClaimInclusion(
  claim: string,
  header: Knowledge,
  { inclusion }: KnowledgeProof,
): boolean {
  return inclusion !== null && verifyLogInclusion(
    header.knowledgeRoot,
    header.knowledgeSize,
    inclusion.index,
    idBytes(claim),
    inclusion.path,
  );
}

/** Whether the log under `later` begins with all of the log under `earlier`. */
export function verifyKnowledgeGrowth(
  earlier: Knowledge,
  later: Knowledge,
  { consistency }: KnowledgeProof,
): boolean {
  return consistency !== null && consistency.from === earlier.knowledgeSize && verifyLogConsistency(
    earlier.knowledgeRoot,
    earlier.knowledgeSize,
    later.knowledgeRoot,
    later.knowledgeSize,
    consistency.path,
  );
}
