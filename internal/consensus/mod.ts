/** Order, lanes, Pulses and certificates as a pure state machine. */
export type {
  Block,
  BlockChecks,
  Body,
  CarriedUnit,
  Equivocation,
  SignatureCheck,
  SignedHeader,
} from "./block.ts";
export type {
  AlarmCode,
  Answer,
  Effect,
  Input,
  OwnRow,
  PulseEffect,
  Restored,
  ServeRequest,
  StoredBlock,
  Tuning,
  UnitStanding,
  Validator,
  ValidatorOptions,
  ValidatorStatus,
} from "./contract.ts";
export type { Message } from "./message.ts";
export type { AnyStatementKind, Statement, StatementKind } from "./statement_kind.ts";
