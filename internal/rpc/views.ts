/** Shapes that several methods answer with: receipts, events, balances. */
import {
  count,
  flag,
  hex64,
  json,
  list,
  nullable,
  oneOf,
  optional,
  record,
  sequence,
  string,
  u64,
} from "./wire.ts";
import type { WireOf } from "./wire.ts";

/** `{"<Name>": {…fields}}`, the Pulse, and the transaction that caused it (null: the system). */
export const eventView = record({ event: json, pulse: count(), tx: nullable(hex64) });
/** One event. */
export type EventView = WireOf<typeof eventView>;

/** What became of a transaction; `reason` is there when it failed. */
export const outcomeView = record({
  kind: oneOf("success", "failed", "void"),
  reason: optional(string(1024)),
});

/** A receipt: `index` is the member's place in its unit, `fee` micro-units, `made` new objects. */
export const receiptView = record({
  account: hex64,
  digest: hex64,
  events: list(json, 1024),
  fee: u64,
  index: count(),
  kind: string(64),
  made: list(hex64, 1024),
  outcome: outcomeView,
  pulse: count(),
  sequence: u64,
  unit: hex64,
});
/** One receipt. */
export type ReceiptView = WireOf<typeof receiptView>;

/** One asset of an account, in the asset's base units (micro-units of USD). */
export const balanceView = record({ amount: u64, asset: hex64, symbol: string(32) });

/** An object of the state: its kind's name and its members as JSON. */
export const objectView = record({ id: hex64, kind: string(64), object: json });
/** One object. */
export type ObjectView = WireOf<typeof objectView>;

/** A validator with its pool: amounts in micro-units, `commission` in ten-thousandths. */
export const poolView = record({
  commission: count(10_000),
  delegated: u64,
  earned: u64,
  earning: u64,
  operator: hex64,
  own: u64,
  status: string(16),
  validator: hex64,
  /** In the present committee; 0 outside. */
  weight: u64,
});
/** One validator with its pool. */
export type PoolView = WireOf<typeof poolView>;

/** A delegation as it stands, `owed` and `stake` in micro-units. */
export const delegationView = record({
  delegation: hex64,
  owed: u64,
  phase: oneOf("pending", "earning", "unbonding"),
  shares: u64,
  since: count(),
  stake: u64,
  validator: hex64,
  withdrawable_at: nullable(count()),
});
/** One delegation. */
export type DelegationView = WireOf<typeof delegationView>;

/** What `sion_status` shows, member for member. `executed` is [succeeded, failed, void]. */
export const statusView = record({
  active: flag,
  active_validators: count(),
  anchors: count(),
  beacon: hex64,
  certified_pulse: count(),
  chain: hex64,
  chain_id: string(64),
  claims: count(),
  commitment: record({
    config: hex64,
    knowledge_root: hex64,
    knowledge_size: count(),
    pulse: count(),
    state_root: hex64,
  }),
  epoch: count(),
  epoch_end: u64,
  executed: sequence(count(), count(), count()),
  forced_overdue: count(),
  forced_pending: count(),
  genesis: hex64,
  insecure_signatures: flag,
  objects: count(),
  proven_pulse: count(),
  pulse: count(),
  /** True from a gateway: what answers takes no transactions. Nodes leave it out. */
  read_only: optional(flag),
  round: count(),
  session: count(),
  shards: count(),
  validator: hex64,
  validators: count(),
});
/** One status. */
export type StatusView = WireOf<typeof statusView>;
