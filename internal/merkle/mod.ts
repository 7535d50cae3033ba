/** Merkle logs (RFC 6962) and the sparse Merkle tree, with their proofs. */
export { logConsistencyProof, logInclusionProof, logRoot } from "./log.ts";
export { EMPTY_ROOT, leafHash, nodeHash } from "./log_hash.ts";
export type { LogPeaks } from "./log_peaks.ts";
export { EMPTY_LOG, logAppend, logPeaksRoot } from "./log_peaks.ts";
export {
  verifyLogConsistency,
  verifyLogInclusion,
  verifyLogInclusionOfHash,
} from "./log_verify.ts";
export { MerkleLog } from "./merkle_log.ts";
export type { SparseLeaf } from "./sparse_hash.ts";
export type { SparseEntry, SparseMultiproof, SparseNodeKind } from "./sparse_multiproof.ts";
export { verifySparseMulti } from "./sparse_multiproof.ts";
export type { SparseProof } from "./sparse_proof.ts";
export { verifySparse } from "./sparse_proof.ts";
export { SparseTree } from "./sparse_tree.ts";
