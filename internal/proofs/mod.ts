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
export type { BlockHeader, BlockRef, ChainLink } from "./block_header.ts";
export {
  blockHeaderCodec,
  blockId,
  blockRefCodec,
  FORMAT_VERSION,
  MAX_PARENTS,
  statementLeaf,
  statementsRoot,
} from "./block_header.ts";
export type {
  CertificateContext,
  CertificateItem,
  CertificateVerdict,
  LaneCertificate,
  PulseCertificate,
} from "./certificate.ts";
export {
  encodePulseCertificate,
  laneCertificateCodec,
  MAX_STATEMENTS,
  pulseCertificateCodec,
  SPAN_ROUNDS,
  verifyLaneCertificate,
  verifyPulseCertificate,
} from "./certificate.ts";
export type { Equivocation, SignedHeader } from "./equivocation.ts";
export { equivocationCodec } from "./equivocation.ts";
export type { ChainParameters, Genesis, GenesisFacts, GenesisValidator } from "./genesis.ts";
export { configHash, genesisOf, lastConfigHash, MIN_EPOCH_PULSES, ZERO_HASH } from "./genesis.ts";
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
export type { PulseStatement, UnitStatement } from "./statements.ts";
export {
  encodeStatement,
  pulseStatementCodec,
  STATEMENT_TAGS,
  unitStatementCodec,
} from "./statements.ts";
export type { Committee, CommitteeMember } from "./validator_set.ts";
export { committeeOf, cutWeights, MAX_VALIDATORS, quorumOf, validatorId } from "./validator_set.ts";
export type { ExecutedField } from "./world/compare.ts";
export { differingFields } from "./world/compare.ts";
export { verifySignatures } from "./world/stack_b/consent.ts";
export type { WorldErrorCode } from "./world/stack_b/error.ts";
export type { ExecutedPulse } from "./world/stack_b/execute.ts";
export { executePulse as executeByStackB } from "./world/stack_b/execute.ts";
export type {
  PartialTree,
  WorldBefore,
  WorldInput,
  WorldOrdered,
  WorldOutput,
} from "./world/world_input.ts";
export { decodeWorldInput, worldInputCodec } from "./world/world_input.ts";
