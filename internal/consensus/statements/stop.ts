/**
 * `Stop`: this validator votes no more on the slot. Made when the slot's owner signed two units for
 * it, or when a forced unit is due; nobody else's wish stops a lane. It names the unit whose vote
 * quorum its block's history holds, and only that one may be confirmed afterwards.
 */
import type { AccountId } from "#internal/core/mod.ts";
import type { StopStatement } from "#internal/proofs/mod.ts";
import { STATEMENT_TAGS, stopStatementCodec } from "#internal/proofs/mod.ts";
import type { LocalView } from "../local_view.ts";
import { STOP_SLOTS } from "../lane_order.ts";
import type { StatementPlace } from "../history.ts";
import { defineStatement } from "../statement_kind.ts";
import { slotKey, slotOf } from "../unit_facts.ts";

/** Own blocks after which a contested slot is stopped. */
const STOP_AFTER_BLOCKS = 4;
/** Stops of one block. */
const MAX_STOPS = 1024;

export const stop = defineStatement<"stop", StopStatement>({
  name: "stop",
  tag: STATEMENT_TAGS.stop,
  codec: stopStatementCodec,
  fault({ account, sequence, named }, place, view) {
    return namedBy(slotKey(account, sequence), place, view) === named
      ? undefined
      : "it stops a slot and names another unit than the one with the vote quorum";
  },
  ordered(body, node, order) {
    order.lanes.stop(body, node.author, node.round);
  },
  propose(place, view) {
    const stops: StopStatement[] = [];
    for (const [key, slot] of slotsToStop(place, view)) {
      if (stops.length === MAX_STOPS) break;
      const named = namedBy(key, place, view);
      view.own.stop(key, named);
      stops.push({ ...slot, named });
    }
    return stops;
  },
});

/** The unit of the slot with its vote quorum in the history; of several, that of the latest bound. */
function namedBy(key: string, place: StatementPlace, view: LocalView): string | null {
  let named: { digest: string; bound: number } | undefined;
  for (const record of view.on(key)) {
    const { digest, bound } = record.facts;
    const later = named === undefined || bound > named.bound ||
      (bound === named.bound && digest < named.digest);
    if (later && view.hasVoteQuorum(record, place)) named = { digest, bound };
  }
  return named?.digest ?? null;
}

/** Open slots whose reason to be stopped is four own blocks old. */
function slotsToStop(
  place: StatementPlace,
  view: LocalView,
): Map<string, { account: AccountId; sequence: bigint }> {
  const due = new Map<string, { account: AccountId; sequence: bigint }>();
  const consider = (key: string): void => {
    const slot = slotOf(key);
    const next = view.order.lanes.next(slot.account);
    if (next === undefined || slot.sequence < next || slot.sequence >= next + STOP_SLOTS) return;
    if (view.own.stopOf(key) === undefined && view.own.reasonSeen(key) >= STOP_AFTER_BLOCKS) {
      due.set(key, slot);
    }
  };
  for (const key of view.own.reasons()) consider(key);
  for (const key of view.rivalSlots) {
    if (!view.own.hasReason(key) && hasRivals(key, place, view)) consider(key);
  }
  for (const { facts, due: isDue } of view.order.lanes.forced.entries()) {
    const key = facts.keys[0];
    if (isDue && key !== undefined) consider(key);
  }
  return due;
}

/** The history holds two units for the slot. */
function hasRivals(key: string, place: StatementPlace, view: LocalView): boolean {
  let count = 0;
  for (const record of view.on(key)) if (view.isKnownTo(record, place)) count++;
  return count >= 2;
}
