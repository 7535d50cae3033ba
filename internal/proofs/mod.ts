/** What a light client checks: identities, committees, headers, certificates. Pure. */
export type { SampleCoordinate, SamplingVerdict, WithholdingBound } from "./availability.ts";
export {
  badEncodingCodec,
  LEAST_WITHHELD,
  provenShareCodec,
  SAMPLE_SEED_BYTES,
  sampleCoordinates,
  SAMPLES,
  shareProofCodec,
  squareCommitmentCodec,
  verifySamples,
  withholdingBound,
} from "./availability.ts";
export type { BlockHeader, BlockRef, ChainLink } from "#internal/ledger/mod.ts";
export {
  blockHeaderCodec,
  blockId,
  blockRefCodec,
  FORMAT_VERSION,
  MAX_PARENTS,
  statementLeaf,
  statementsRoot,
} from "#internal/ledger/mod.ts";
export type {
  CertificateClaim,
  CertificateContext,
  CertificateItem,
  CertificateVerdict,
  ClaimedSignature,
  LaneCertificate,
  PulseCertificate,
} from "./certificate.ts";
export {
  encodePulseCertificate,
  firstForged,
  laneCertificateCodec,
  MAX_STATEMENTS,
  pulseCertificateCodec,
  readPulseCertificate,
  SPAN_ROUNDS,
  verifyLaneCertificate,
  verifyPulseCertificate,
} from "./certificate.ts";
export type { Accusation, Equivocation, SignedHeader } from "./equivocation.ts";
export {
  accusationCodec,
  equivocationCodec,
  MAX_ACCUSATION_BYTES,
  offenceOf,
  sessionAccused,
} from "./equivocation.ts";
export type { ChainParameters, Genesis, GenesisFacts, GenesisValidator } from "./genesis.ts";
export { configOf, genesisOf, MIN_EPOCH_PULSES, ZERO_HASH } from "./genesis.ts";
export type { Header } from "./header.ts";
export {
  firstRoundOf,
  headerCodec,
  headerDigest,
  lastRoundOf,
  PULSE_ROUNDS,
  pulseOfRound,
} from "./header.ts";
export type { AuthorTime, MixedLink, PublishedUnit, PulseData, SettledSlot } from "./pulse_data.ts";
export {
  MAX_PULSE_BYTES,
  MAX_PULSE_DATA_BYTES,
  medianTime,
  mixBeacon,
  orderedOf,
  pulseDataCodec,
  pulseDataFault,
  SETTLED_BYTES,
  UNIT_EXTRA_BYTES,
} from "./pulse_data.ts";
export type { ChainOrigin, KnownOrigin } from "./chain_origin.ts";
export { chainOriginCodec, MAX_ORIGIN_BYTES, readOrigin } from "./chain_origin.ts";
export type { ParameterFields, SessionConfig, SessionValidator } from "./session_config.ts";
export { configHash, lastConfigHash, sessionConfigCodec } from "./session_config.ts";
export type { ChainView, ReadHeader } from "./light/chain_view.ts";
export { askOrigin, chainView } from "./light/chain_view.ts";
export type { FollowOptions, Head, StepVerdict } from "./light/follow.ts";
export { followTo } from "./light/follow.ts";
export type { HeaderProof } from "./light/header_proof.ts";
export {
  headerProofCodec,
  headerProofFault,
  MAX_HEADER_PROOF_BYTES,
  provenHeader,
  verifyHeaderProof,
} from "./light/header_proof.ts";
export type { KnowledgeProof } from "./light/knowledge_proof.ts";
export {
  knowledgeProofCodec,
  MAX_KNOWLEDGE_PROOF_BYTES,
  verifyClaimInclusion,
  verifyKnowledgeGrowth,
} from "./light/knowledge_proof.ts";
export type { LaneLock, LockItem, LocksPage, StopItem } from "./light/lane_locks.ts";
export { locksPageCodec, MAX_LOCKS_BYTES, MAX_PAGE_LOCKS } from "./light/lane_locks.ts";
export { proveObject } from "./light/object.ts";
export type { ProvenReceipt } from "./light/receipt.ts";
export { proveReceipt } from "./light/receipt.ts";
export type { ReceiptProof } from "./light/receipt_proof.ts";
export {
  MAX_RECEIPT_BYTES,
  MAX_RECEIPT_PROOF_BYTES,
  receiptProofCodec,
} from "./light/receipt_proof.ts";
export type { PulseReport, VerifyOptions } from "./light/report.ts";
export { verifyPulse } from "./light/report.ts";
export type { KnownSession, ProvenSession, SessionStep } from "./light/session_walk.ts";
export {
  hasConfigOf,
  MAX_SESSION_STEP_BYTES,
  readStep,
  sessionStepCodec,
} from "./light/session_walk.ts";
export { isLastOfSession, sessionEndAfterChange } from "./session_rules.ts";
export type { LightErrorCode, LightSource } from "./light/source.ts";
export { notServed } from "./light/source.ts";
export type { StateProof } from "./light/state_proof.ts";
export { MAX_STATE_PROOF_BYTES, proveState, stateProofCodec } from "./light/state_proof.ts";
export { provesWrongData } from "./light/wrong_data.ts";
export type { WorldClaim, WorldVerdict, WorldVerifier } from "./light/world_verifier.ts";
export type { PulseStatement, StopStatement, UnitStatement } from "#internal/ledger/mod.ts";
export {
  encodeStatement,
  pulseStatementCodec,
  STATEMENT_TAGS,
  stopStatementCodec,
  unitStatementCodec,
} from "#internal/ledger/mod.ts";
export type { Committee, CommitteeMember } from "./validator_set.ts";
export {
  committeeOf,
  cutWeights,
  MAX_COMMITTEE,
  quorumOf,
  shownQuorum,
  shownStake,
  validatorId,
} from "./validator_set.ts";
export type { ExecutedField } from "./world/compare.ts";
export { differingFields } from "./world/compare.ts";
export { executeByStackA } from "./world/stack_a.ts";
export { verifySignatures } from "./world/stack_b/consent.ts";
export type { ExecutedPulse } from "./world/stack_b/execute.ts";
export { executePulse as executeByStackB } from "./world/stack_b/execute.ts";
export type {
  PartialTree,
  WorldBefore,
  WorldErrorCode,
  WorldInput,
  WorldOrdered,
  WorldOutput,
  WorldWitness,
} from "./world/world_input.ts";
export {
  decodeWorldInput,
  MAX_OBJECT_BYTES,
  MAX_WITNESS_BYTES,
  worldInputCodec,
  worldWitnessCodec,
} from "./world/world_input.ts";
export { worldInputOf, worldVerifier } from "./world/verify.ts";
export { buildWitness } from "./world/witness.ts";
