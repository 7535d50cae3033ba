/** The ledger: objects, transaction kinds, fees, execution, receipts and their sentences. Pure. */
export { accountKey } from "./account_key.ts";
export { verifyAuthorization } from "./authorization.ts";
export { atomId, atomText, bondId, labelFault } from "./claims/atom.ts";
export type { Cost } from "./claims/cost.ts";
export type { Assessment } from "./claims/decision.ts";
export { assess, readToDecide } from "./claims/decision.ts";
export type { Formula } from "./claims/formula.ts";
export {
  anyOf,
  atomFormula,
  DUAL_SIGNATURE,
  formulaText,
  isSameFormula,
} from "./claims/formula.ts";
export type { TrustReader } from "./claims/resting.ts";
export { freeBehind } from "./claims/reservation.ts";
export { trustReader } from "./claims/resting.ts";
export type { TaskOutput } from "./claims/task_result.ts";
export {
  attestationFormula,
  attestationText,
  attestedBy,
  readOutputText,
  resultFormula,
  resultText,
  SETTLING_STEPS,
  TASK_ATTESTATION_SCHEMA,
  TASK_BOND_LABEL,
  TASK_RESULT_SCHEMA,
} from "./claims/task_result.ts";
export type { BucketLevel, BucketTerms } from "./bucket.ts";
export type { Caveats } from "./caveats.ts";
export { caveatsOf, NO_CAVEATS } from "./caveats.ts";
export { checkConservation } from "./conservation.ts";
export type { LedgerOptions } from "./create_ledger.ts";
export { MAX_COMMITTEE } from "./committee_size.ts";
export { createLedger } from "./create_ledger.ts";
export { CHECKPOINT_PULSES } from "./checkpoints.ts";
export type { LedgerErrorCode } from "./errors.ts";
export { LedgerError } from "./errors.ts";
export type { EventValue, LedgerEventBody } from "./event_value.ts";
export type { BlockHeader, BlockRef, ChainlessHeader, ChainLink } from "./evidence/block_header.ts";
export {
  blockHeaderCodec,
  blockId,
  blockRefCodec,
  FORMAT_VERSION,
  MAX_PARENTS,
  statementLeaf,
  statementsRoot,
} from "./evidence/block_header.ts";
export type { Offence, ShownStatement, SignedBlock } from "./evidence/offence.ts";
export { offenceCodec, signedOf } from "./evidence/offence.ts";
export type { PulseStatement, StopStatement, UnitStatement } from "./evidence/statements.ts";
export {
  encodeStatement,
  pulseStatementCodec,
  STATEMENT_TAGS,
  stopStatementCodec,
  unitStatementCodec,
} from "./evidence/statements.ts";
export type { AnyTxKind, BodyOf, Consent, ConsentPlace, Touches, TxKind } from "./kind.ts";
export { defineTxKind, fixedBy } from "./kind.ts";
export type {
  Ledger,
  Ordered,
  PolicedUnit,
  PulseInput,
  PulseOutput,
  PulseRoots,
  RefusalCode,
  SpendKey,
  Votable,
  VoteContext,
} from "./ledger.ts";
export type { AnyObjectKind, Holding, LedgerObject, Moment, ObjectKind } from "./object_kind.ts";
export { defineObjectKind } from "./object_kind.ts";
export type { Account } from "./objects/account.ts";
export { accountKind, balanceOf } from "./objects/account.ts";
export type { Allotment } from "./objects/allotment.ts";
export { allotmentKind } from "./objects/allotment.ts";
export type { Asset } from "./objects/asset.ts";
export { assetId, assetKind, USD } from "./objects/asset.ts";
export type { Charter } from "./objects/charter.ts";
export { charterKind } from "./objects/charter.ts";
export type { Claim } from "./objects/claim.ts";
export {
  claimId,
  claimKind,
  formulaOf,
  PAYMENT_RECEIPT_SCHEMA,
  subjectText,
} from "./objects/claim.ts";
export { standingOf } from "./delegation.ts";
export type { Identity, Standing } from "./objects/identity.ts";
export { identityKind } from "./objects/identity.ts";
export type { Delegation, DelegationPhase } from "./objects/delegation.ts";
export { delegationKind, owedTo, phaseOf } from "./objects/delegation.ts";
export type { RewardMark } from "./objects/reward_mark.ts";
export { rewardMarkId, rewardMarkKind } from "./objects/reward_mark.ts";
export type { Staking } from "./objects/staking.ts";
export { epochEndAfter, STAKING, stakingKind } from "./objects/staking.ts";
export type { Validator, ValidatorStatus } from "./objects/validator.ts";
export { bondedStake, countedStake, validatorId, validatorKind } from "./objects/validator.ts";
export type { ValidatorKey } from "./objects/validator_key.ts";
export { validatorKeyKind } from "./objects/validator_key.ts";
export type { SessionMember, ValidatorSet } from "./objects/validator_set.ts";
export { VALIDATOR_SET, validatorSetKind } from "./objects/validator_set.ts";
export type { MemoryLog } from "./objects/memory_log.ts";
export { memoryLogKind } from "./objects/memory_log.ts";
export type { Task, TaskRule } from "./objects/task.ts";
export { taskKind } from "./objects/task.ts";
export type { DealEnd, DealPhase, DealTerms, StorageDeal } from "./objects/storage_deal.ts";
export { storageDealKind } from "./objects/storage_deal.ts";
export { beaconKind, beaconSlot, keepsBeacon } from "./objects/beacon.ts";
export type { ChallengeTerms, ShownLeaf } from "./storage/challenge.ts";
export { challengedLeaves, showsLeaves } from "./storage/challenge.ts";
export { LEAF_BYTES, leafCount, leafLength, MAX_KEPT_BYTES } from "./storage/file_leaves.ts";
export { BLOCK_BYTES, blockOf, FileHasher, showLeaf } from "./storage/file_tree.ts";
export type { Progress } from "./storage/rounds.ts";
export { progressAt, roundStart } from "./storage/rounds.ts";
export type { Policy } from "./policy.ts";
export { accountId, NO_SALT, policyCodec, policyOfKey } from "./policy.ts";
export type { LedgerEvent, Receipt, TxOutcome } from "./receipt.ts";
export { receiptLeaf, receiptsRoot, VOID_KIND } from "./receipt.ts";
export type { Names, Say } from "./sentences.ts";
export { NO_NAMES, sayWith } from "./sentences.ts";
export { commissionText } from "./staking/commission.ts";
export { ROTATION_PULSES, validatorSetOf } from "./staking/committee.ts";
export type { Pool } from "./staking/pool.ts";
export { stakeOf } from "./staking/pool.ts";
export type {
  DelegationReading,
  EpochReading,
  PoolReading,
  ReadObject,
} from "./staking/reading.ts";
export { readDelegation, readEpoch, readPools } from "./staking/reading.ts";
export { cutWeights } from "./staking/weights.ts";
export type { ShardLeaf } from "./shard_leaf.ts";
export { leavesRoot, shardLeafCodec } from "./shard_leaf.ts";
export type { GenesisMember, GenesisOptions, KnownPart, StoredState } from "./state.ts";
export {
  genesisState,
  LedgerState,
  MAX_SHARDS,
  objectHash,
  partialState,
  restoreState,
  shardOf,
} from "./state.ts";
export type { Authorization, KeySignature, Member, SignedUnit, Slot, Unit } from "./unit.ts";
export { MAX_MEMBERS } from "./unit.ts";
export type { Action } from "./tx/mod.ts";
export { rotationDigest } from "./tx/rotate_key.ts";
export { registrationDigest } from "./tx/stake_register.ts";
export { memberDigest, objectId, voidDigest } from "./unit_codec.ts";
export type { FailureCategory, View } from "./view.ts";
