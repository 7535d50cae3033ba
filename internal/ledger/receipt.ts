/** What a transaction came to: the record that the receipts root commits to. */
import type { AccountId, Codec, Digest, ObjectId } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { id, list, mapped, struct, text, u16, u64, u8, union } from "#internal/core/mod.ts";
import { taggedHash, taggedHashMany } from "#internal/crypto/mod.ts";
import { logRoot } from "#internal/merkle/mod.ts";
import { undecodable } from "./errors.ts";
import type { EventFields } from "./event_fields.ts";
import { eventFields } from "./event_fields.ts";
import type { EventValue, LedgerEventBody } from "./event_value.ts";
import { eventValueCodec } from "./event_value.ts";

const RECEIPT_TAG = "sion/receipt/v1";
/** Bound of a failure's text. */
const MAX_REASON_BYTES = 512;
const MAX_EVENTS = 128;
const MAX_MADE = 128;

/** Success, a failure with its reason (`category: what`), or a slot settled without a transaction. */
export type TxOutcome =
  | { readonly kind: "success" }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "void" };

/** One executed transaction, or one void slot. */
export interface Receipt {
  /** The transaction's digest; of a void slot its `voidDigest`. */
  readonly digest: Digest;
  /** The digest of the unit; the same as `digest` for a void slot. */
  readonly unit: string;
  /** The member's place in its unit. */
  readonly index: number;
  /** The Pulse it executed in. */
  readonly pulse: bigint;
  readonly account: AccountId;
  readonly sequence: bigint;
  /** The transaction kind's name; `void` for a void slot. */
  readonly kind: string;
  readonly outcome: TxOutcome;
  /** Micro-USD that were taken. */
  readonly fee: bigint;
  /** What happened, in order; empty unless it succeeded. */
  readonly events: readonly LedgerEventBody[];
  /** Ids of the objects it made, in order. */
  readonly made: readonly ObjectId[];
}

/** An event in its place: `tx` is null for one that the system caused. */
export interface LedgerEvent {
  readonly pulse: bigint;
  readonly tx: Digest | null;
  readonly event: LedgerEventBody;
}

const outcomeUnion = union({
  success: [0, struct({})],
  failed: [1, struct({ reason: text(MAX_REASON_BYTES) })],
  void: [2, struct({})],
});

const outcomeCodec: Codec<TxOutcome> = mapped(
  outcomeUnion,
  (outcome: TxOutcome): ValueOf<typeof outcomeUnion> =>
    outcome.kind === "failed"
      ? { kind: "failed", body: { reason: outcome.reason } }
      : { kind: outcome.kind, body: {} },
  (wire): TxOutcome =>
    wire.kind === "failed" ? { kind: "failed", reason: wire.body.reason } : { kind: wire.kind },
);

const eventCodec = eventValueCodec as Codec<LedgerEventBody>;

/** The encoding of a receipt, given how a kind's name is written. */
export function receiptCodec(kind: Codec<string>): Codec<Receipt> {
  return struct({
    digest: id,
    unit: id,
    index: u16,
    pulse: u64,
    account: id,
    sequence: u64,
    kind,
    outcome: outcomeCodec,
    fee: u64,
    events: list(eventCodec, MAX_EVENTS),
    made: list(id, MAX_MADE),
  });
}

/** How kinds' names are written where all of them are registered: by their tags; 0 is a void slot. */
export function kindTagCodec(tags: ReadonlyMap<string, number>): Codec<string> {
  const names = new Map([...tags].map(([name, tag]) => [tag, name]));
  return mapped(
    u8,
    (name: string) => {
      const tag = name === VOID_KIND ? 0 : tags.get(name);
      if (tag === undefined) throw new TypeError(`Cannot encode receipt: unknown kind ${name}`);
      return tag;
    },
    (tag) => {
      const name = tag === 0 ? VOID_KIND : names.get(tag);
      return name ?? undecodable(`a receipt: ${tag} is no transaction kind`);
    },
  );
}

/** The kind's name in the receipt of a void slot. */
export const VOID_KIND = "void";

/** What the receipts root has as the leaf of a receipt. */
export function receiptLeaf(bytes: Uint8Array): Uint8Array {
  return taggedHash(RECEIPT_TAG, bytes);
}

/** RFC 6962 root over the leaves of receipts, given the encoding of each, in certified order. */
export function receiptsRoot(encoded: readonly Uint8Array[]): Uint8Array {
  return logRoot(taggedHashMany(RECEIPT_TAG, encoded));
}

/** The first event of a name in a receipt, for its sentence. @throws {TypeError} when it has none. */
export function eventOf(receipt: Receipt, name: string): EventFields {
  return eventFields(receipt.events.find((event) => name in event)?.[name]);
}

/** All events of a name in a receipt, in order, for its sentence. */
export function eventsOf(receipt: Receipt, name: string): readonly EventFields[] {
  return receipt.events.filter((event) => name in event).map((event) => eventFields(event[name]));
}

/** The fields of the first event of a name in a receipt, for its sentence. */
export function fieldsOf(
  receipt: Receipt,
  name: string,
): { readonly [field: string]: EventValue } {
  for (const event of receipt.events) {
    const fields = event[name];
    if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) {
      return fields as { readonly [field: string]: EventValue };
    }
  }
  return {};
}
