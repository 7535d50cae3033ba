/** Merkle logs (RFC 6962), the sparse Merkle tree and the erasure-coded square, with their proofs. */
export {
  logConsistencyProof,
  logInclusionProof,
  logPathOfHashes,
  logRoot,
  logRootOfHashes,
} from "./log.ts";
export type { WitnessErrorCode } from "./_sparse_node.ts";
export { EMPTY_ROOT, leafHash, nodeHash } from "./log_hash.ts";
export { logSplit } from "./log_shape.ts";
export type { LogPeaks } from "./log_peaks.ts";
export { EMPTY_LOG, logAppend, logAppendHash, logPeaksRoot } from "./log_peaks.ts";
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
export type { SparseWitness } from "./sparse_witness.ts";
export type { BadEncodingProof, SquareFault } from "./square/bad_encoding.ts";
export { verifyBadEncoding } from "./square/bad_encoding.ts";
export type { ProvenShare, ShareProof, SquareCommitment } from "./square/commitment.ts";
export {
  AXIS_PATH,
  dataRoot,
  ROOT_PATH,
  verifyCommitment,
  verifyProvenShare,
  verifyShare,
} from "./square/commitment.ts";
export { DataSquare } from "./square/data_square.ts";
export type { Reconstruction } from "./square/reconstruct.ts";
export { reconstruct } from "./square/reconstruct.ts";
export type { Axis, SquareErrorCode } from "./square/shape.ts";
export {
  DATA_WIDTH,
  MAX_DATA_BYTES,
  MAX_SHARE_BYTES,
  shareBytes,
  SQUARE_SHARES,
  SQUARE_WIDTH,
} from "./square/shape.ts";
