/** Order, lanes, Pulses and certificates as a pure state machine. */
export type { Block, BlockCodec, Body, CarriedUnit, NamedUnit, SignatureCheck } from "./block.ts";
export { checksOf, createBlockCodec } from "./block.ts";
export type {
  AlarmCode,
  Answer,
  Effect,
  Input,
  PulseEffect,
  Restored,
  ServeRequest,
  Tuning,
  UnitStanding,
  Validator,
  ValidatorOptions,
  ValidatorStatus,
} from "./contract.ts";
export type { Lock } from "./lane_order.ts";
export type { Message, Received, SentBlock, SharedUnit } from "./message.ts";
export {
  decodeMessage,
  encodeMessage,
  MAX_MESSAGE_BYTES,
  MESSAGE_TAGS,
  messageTypeOf,
  needsNoVerification,
  packBlocks,
  packUnits,
} from "./message.ts";
export { DEFAULT_TUNING } from "./pace.ts";
export type { Reach } from "./reach.ts";
export { REACH } from "./reach.ts";
export type { OwnRow, StoredBlock, StoredUnit } from "./records.ts";
export type { SnapshotClientOptions } from "./snapshot/client.ts";
export { SnapshotClient } from "./snapshot/client.ts";
export type { TakenSnapshot } from "./snapshot/download.ts";
export type { ShelfOptions, ShownPulse } from "./snapshot/shelf.ts";
export { SnapshotShelf } from "./snapshot/shelf.ts";
export type { SnapshotAsk, SnapshotPart } from "./snapshot/wire.ts";
export type { Statement } from "./statement.ts";
export type { AnyStatementKind, StatementKind } from "./statement_kind.ts";
export { defineStatement } from "./statement_kind.ts";
export { statementKinds } from "./statements/mod.ts";
export { createValidator } from "./validator.ts";
