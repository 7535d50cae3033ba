/** What ordering and voting need to know of a unit, found once. */
import type { AccountId } from "#internal/core/mod.ts";
import type { Ledger, LedgerState, SignedUnit, Slot } from "#internal/ledger/mod.ts";
import { firstRoundOf } from "#internal/proofs/mod.ts";

/** Rounds are below this. */
export const MAX_ROUND = 0xffff_ffff;

/** A unit with its slots and bound. */
export interface UnitFacts {
  /** The unit's digest. */
  readonly digest: string;
  readonly signed: SignedUnit;
  readonly slots: readonly Slot[];
  /** Its slots as keys of maps, in the same order. */
  readonly keys: readonly string[];
  /** Statements on the unit count only in blocks of rounds below this. */
  readonly bound: number;
}

/** A slot as the key of a map; keys of one account sort by sequence. */
export function slotKey(account: AccountId, sequence: bigint): string {
  return `${account}/${sequence.toString(16).padStart(16, "0")}`;
}

/** The lesser of the first round of the unit's last Pulse and the session's close. */
export function boundOf(validUntil: bigint, closeRound: number): number {
  const limit = BigInt(Math.floor(MAX_ROUND / 4));
  const own = validUntil >= limit ? MAX_ROUND : firstRoundOf(Number(validUntil));
  return Math.min(Math.max(own, 0), closeRound);
}

/** The facts of a unit. */
export function unitFacts(
  ledger: Pick<Ledger, "unitDigest" | "slots">,
  signed: SignedUnit,
  closeRound: number,
): UnitFacts {
  const slots = ledger.slots(signed.unit);
  return {
    digest: ledger.unitDigest(signed.unit),
    signed,
    slots,
    keys: slots.map(({ account, sequence }) => slotKey(account, sequence)),
    bound: boundOf(signed.unit.validUntil, closeRound),
  };
}

/** The next unused slot of an account in a state; undefined when there is no such account. */
export function sequenceIn(state: LedgerState, account: AccountId): bigint | undefined {
  return state.account(account)?.sequence;
}
