/** The sentences of units and receipts, made of those of their kinds. */
import type { PolicedUnit } from "./ledger.ts";
import { unitFees } from "./fees.ts";
import { eventFields } from "./event_fields.ts";
import type { AnyTxKind, Tells } from "./kind.ts";
import type { Receipt } from "./receipt.ts";
import type { Registry } from "./registry.ts";
import { kindNamed } from "./registry.ts";
import type { Names, Say } from "./sentences.ts";
import { sayWith } from "./sentences.ts";
import type { Member } from "./unit.ts";

/** What a unit asks for, with its fee and how long it is valid. */
export function intentOf(kinds: Registry<AnyTxKind>, signed: PolicedUnit, names: Names): string {
  const { unit } = signed;
  const say = sayWith(names);
  const asks = unit.members.map(({ kind, body }) => kindNamed(kinds, kind).intent(body, say));
  const fee = unitFees(kinds, signed).reduce((sum, one) => sum + one.floor + one.beyond, 0n);
  const together = asks.length === 1 ? "" : `${asks.length} transactions in one batch: `;
  return `${together}${asks.join(". ")}. ` +
    `Fee ${say.amount(fee)}; valid until Pulse ${unit.validUntil}.`;
}

/** Events that no transaction kind emits. */
const SYSTEM_TELLS: Tells = {
  ClaimIssued: (fields, say) => `claim ${say.short(fields.id("claim"))} entered the knowledge log`,
  EpochEnded: (fields, say) =>
    `epoch ${fields.pulse("epoch")} ended, ${say.amount(fields.amount("shared"))} of fees shared`,
};

/** An event as a sentence; undefined for one that these kinds do not know, or not of that form. */
export function eventSentence(
  kinds: Registry<AnyTxKind>,
  event: unknown,
  names: Names,
): string | undefined {
  const [[name, value] = ["", undefined]] = Object.entries(event ?? {});
  const tell = [SYSTEM_TELLS, ...kinds.all.map(({ tells = {} }) => tells)]
    .find((tells) => Object.hasOwn(tells, name))?.[name];
  try {
    return tell?.(eventFields(value), sayWith(names));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What a transaction came to. Of one whose member is not at hand, success is said in general. */
export function outcomeOf(
  kinds: Registry<AnyTxKind>,
  receipt: Receipt,
  member: Member | undefined,
  names: Names,
): string {
  const say = sayWith(names);
  const fee = say.amount(receipt.fee);
  const { outcome } = receipt;
  if (outcome.kind === "failed") {
    return `Failed (${outcome.reason}); nothing happened except the fee of ${fee}.`;
  }
  if (outcome.kind === "void") {
    return `Void (the slot was settled without a transaction); ` +
      `nothing happened except the fee of ${fee}.`;
  }
  const done = doneText(kinds, receipt, member, say) ??
    `transaction ${say.short(receipt.digest)} executed`;
  return `Done: ${done}; fee ${fee}.`;
}

/** What a successful one did; undefined without its member, or if its events are not of their form. */
function doneText(
  kinds: Registry<AnyTxKind>,
  receipt: Receipt,
  member: Member | undefined,
  say: Say,
): string | undefined {
  if (member === undefined) return undefined;
  try {
    return kindNamed(kinds, receipt.kind).done(receipt, member.body, say);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
