/** SQLite files and what a person's machine keeps: wallets, pending transactions, names. */
export type {
  BatchErrorCode,
  BatchPlace,
  BatchStart,
  BatchUnit,
  KeptBatch,
  UnitEnd,
} from "./batch_book.ts";
export { batchBusy } from "./batch_book.ts";
export type { BudgetPeriod, PeriodSpan } from "./budget_period.ts";
export { BUDGET_PERIODS, isTimeZone, periodAt } from "./budget_period.ts";
export type {
  Budget,
  Budgets,
  BudgetsOptions,
  BudgetStanding,
  CostAsked,
  CostReserved,
} from "./budgets.ts";
export { EVERYONES_BUDGET, MOST_BUDGET_MICRO, openBudgets } from "./budgets.ts";
export type {
  ClientState,
  ClientStateErrorCode,
  Lane,
  LaneKey,
  PendingUnit,
} from "./client_state.ts";
export { openClientState } from "./client_state.ts";
export type {
  Credential,
  CredentialErrorCode,
  CredentialOptions,
  Credentials,
  KeyPlace,
} from "./credentials.ts";
export { isCredentialName, MAX_CREDENTIAL_BYTES, openCredentials } from "./credentials.ts";
export type { DatabaseErrorCode, DatabaseOptions } from "./database.ts";
export { closeDatabase, openDatabase, transaction } from "./database.ts";
export type { StoreFault } from "./faults.ts";
export { storeFault } from "./faults.ts";
export type { InspectedStore, LeftLease } from "./inspect.ts";
export {
  countPending,
  inspectStores,
  leftLeases,
  newestSessionMs,
  removeLeftLeases,
} from "./inspect.ts";
export type { FileTerms, KeptFileErrorCode, KeptFiles } from "./kept_files.ts";
export { openKeptFiles } from "./kept_files.ts";
export type {
  LogCommitted,
  LogOwner,
  MemoryStore,
  MemoryStoreErrorCode,
  MemoryStores,
} from "./memory_store.ts";
export { openMemoryStores } from "./memory_store.ts";
export type {
  ExecutedCounts,
  KeptObject,
  KeptPulse,
  NodeState,
  ObjectQuery,
  PublishedPulse,
  PulseCommit,
  SnapshotImport,
  StoreIdentity,
} from "./node_records.ts";
export type { FreshStore, NodeStateLabel, OpenNodeStateOptions } from "./node_state.ts";
export { openNodeState, readNodeStateLabel } from "./node_state.ts";
export { asOnlyWriter } from "./one_writer.ts";
export type { PrivateFile, PrivateJsonErrorCode } from "./private_json.ts";
export { keptDamaged, readPrivateJson, writePrivateJson } from "./private_json.ts";
export type { ProfileToken, ProfileTokenErrorCode, ProfileTokens } from "./profile_tokens.ts";
export { openProfileTokens } from "./profile_tokens.ts";
export type { ProjectChoices } from "./project_choices.ts";
export { openProjectChoices } from "./project_choices.ts";
export type { Profile, ProfileErrorCode, ProfileOption, Profiles } from "./profiles.ts";
export { openProfiles } from "./profiles.ts";
export type { KeptPurchase, PurchaseKey } from "./purchase_book.ts";
export type { LightState, RefusedHeader, TrustedHead } from "./light_state.ts";
export { openLightState } from "./light_state.ts";
export type { ClaimedPayment, FoundClaim, KeptAnswer, SettlementBook } from "./settlement_book.ts";
export { openSettlementBook } from "./settlement_book.ts";
export type { ChatPlace, Chats, KeptChat } from "./chats.ts";
export type { ProcessMark } from "./process_mark.ts";
export type { FoundWords } from "./session_search.ts";
export type {
  EventDraft,
  ListedFacts,
  SessionErrorCode,
  SessionEvent,
  SessionLease,
  Sessions,
  SessionsOptions,
  SessionSummary,
} from "./sessions.ts";
export { LEASE_MS, openSessions } from "./sessions.ts";
export type { WalletErrorCode, Wallets } from "./wallets.ts";
export { openWallets, parseSeed } from "./wallets.ts";
