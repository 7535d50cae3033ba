/** Makes a ledger from registries of kinds. */
import { decode, encode } from "#internal/core/mod.ts";
import { eventSentence, intentOf, outcomeOf } from "./describe.ts";
import { unitFees } from "./fees.ts";
import type { AnyTxKind } from "./kind.ts";
import type { Ledger } from "./ledger.ts";
import type { AnyObjectKind } from "./object_kind.ts";
import { objectKinds } from "./objects/mod.ts";
import { executePulse } from "./pulse.ts";
import { kindTagCodec, receiptCodec } from "./receipt.ts";
import type { Kinds } from "./registry.ts";
import { kindNamed, objectCodec, registryOf } from "./registry.ts";
import { txKinds } from "./tx/mod.ts";
import { unitCoding } from "./unit_codec.ts";
import { checkUnitForVote } from "./vote.ts";

/** Kinds to use in place of the product's. */
export interface LedgerOptions {
  /** @default the product's transaction kinds */
  readonly kinds?: readonly AnyTxKind[];
  /** @default the product's object kinds; those of accounts, assets and claims must be among them */
  readonly objects?: readonly AnyObjectKind[];
}

/** @throws {LedgerError} `registry` when two kinds share a name or a tag. */
export function createLedger(options: LedgerOptions = {}): Ledger {
  const kinds: Kinds = {
    tx: registryOf<AnyTxKind>(options.kinds ?? txKinds),
    object: registryOf(options.objects ?? objectKinds),
  };
  const coding = unitCoding(kinds.tx);
  const objects = objectCodec(kinds.object);
  const tags = new Map(kinds.tx.all.map(({ name, tag }) => [name, tag]));
  const rules = { kinds, coding, receiptCodec: receiptCodec(kindTagCodec(tags)) };
  return {
    ...coding,
    kinds: kinds.tx.all,
    objects: kinds.object.all,
    receiptCodec: rules.receiptCodec,
    fees: (signed) => unitFees(kinds.tx, signed).map(({ floor, beyond }) => floor + beyond),
    intent: (signed, names) => intentOf(kinds.tx, signed, names),
    outcome: (receipt, member, names) => outcomeOf(kinds.tx, receipt, member, names),
    event: (event, names) => eventSentence(kinds.tx, event, names),
    checkForVote: (state, signed, context) => checkUnitForVote(kinds, state, signed, context),
    execute: (state, input) => executePulse(rules, state, input),
    encodeObject: (object) => encode(objects, object),
    decodeObject: (bytes) => decode(objects, bytes),
    viewObject: ({ kind, value }, at) => ({
      kind,
      ...kindNamed(kinds.object, kind).view(value, at),
    }),
    idOf: ({ kind, value }) => kindNamed(kinds.object, kind).idOf?.(value),
    refsOf: ({ kind, value }) => kindNamed(kinds.object, kind).refs?.(value) ?? {},
    consents: ({ chain, members }) =>
      members.flatMap(({ account, sequence, kind, body }) =>
        kindNamed(kinds.tx, kind).consents?.(body, { chain, account, sequence }) ?? []
      ),
    slots: ({ members }) => members.map(({ account, sequence }) => ({ account, sequence })),
  };
}
