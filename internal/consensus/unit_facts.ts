/** What ordering and voting need to know of a unit, found once. */
import type { AccountId } from "#internal/core/mod.ts";
import type { Ledger, LedgerState, SignedUnit, Slot } from "#internal/ledger/mod.ts";
import { firstRoundOf, PULSE_ROUNDS } from "#internal/proofs/mod.ts";

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
  /** Statements on the unit count only in blocks of rounds below this and the session's close. */
  readonly bound: number;
}

/** A slot as the key of a map; keys of one account sort by sequence. */
export function slotKey(account: AccountId, sequence: bigint): string {
  return `${account}/${sequence.toString(16).padStart(16, "0")}`;
}

/** The slot of a key. */
export function slotOf(key: string): Slot {
  const [account = "", sequence = "0"] = key.split("/");
  return { account, sequence: BigInt(`0x${sequence}`) };
}

/** The last of a unit's slots that follow one of its slots in a row: what holds of one of them holds of all. */
export function lastInRow(
  { slots }: Pick<UnitFacts, "slots">,
  { account, sequence }: Slot,
): bigint {
  let last = sequence;
  // They mostly are in order.
  for (const slot of slots) {
    if (slot.account === account && slot.sequence === last + 1n) last = slot.sequence;
  }
  return last;
}

/** The first round of the last Pulse that a unit is valid in. */
function boundOf(validUntil: bigint): number {
  const limit = BigInt(Math.floor(MAX_ROUND / PULSE_ROUNDS));
  return validUntil >= limit ? MAX_ROUND : Math.max(firstRoundOf(Number(validUntil)), 0);
}

/** The facts of a unit. */
export function unitFacts(
  ledger: Pick<Ledger, "unitDigest" | "slots">,
  signed: SignedUnit,
): UnitFacts {
  const slots = ledger.slots(signed.unit);
  return {
    digest: ledger.unitDigest(signed.unit),
    signed,
    slots,
    keys: slots.map(({ account, sequence }) => slotKey(account, sequence)),
    bound: boundOf(signed.unit.validUntil),
  };
}

/** The next unused slot of an account in a state; undefined when there is no such account. */
export function sequenceIn(state: LedgerState, account: AccountId): bigint | undefined {
  return state.account(account)?.sequence;
}
