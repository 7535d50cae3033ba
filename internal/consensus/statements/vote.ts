/**
 * `Vote`: this validator locks all slots of the unit for it. A vote quorum makes the unit execute; a
 * lock lasts until an executed anchor has reached the unit's bound, so two units of one slot cannot
 * both find a quorum in time.
 */
import type { UnitStatement } from "#internal/proofs/mod.ts";
import { STATEMENT_TAGS, unitStatementCodec } from "#internal/proofs/mod.ts";
import type { SpendKey } from "#internal/ledger/mod.ts";
import type { LocalView, UnitRecord } from "../local_view.ts";
import type { StatementPlace } from "../history.ts";
import { defineStatement } from "../statement_kind.ts";
import { lastInRow } from "../unit_facts.ts";

/** Votes of one block. */
const MAX_VOTES = 4096;

export const vote = defineStatement<"vote", UnitStatement>({
  name: "vote",
  tag: STATEMENT_TAGS.vote,
  codec: unitStatementCodec,
  enters({ unit }, place) {
    place.votes.add(unit);
  },
  fault({ unit }, place, view) {
    const record = view.unit(unit);
    const carried = record === undefined ? place.carries.has(unit) : view.isCarried(record, place);
    return carried ? undefined : "it votes for a unit that its history does not carry";
  },
  accepted({ unit }, node, view) {
    view.unit(unit)?.votes.push(node);
  },
  ordered({ unit }, node, order) {
    order.lanes.vote(unit, node.author, node.round);
  },
  propose(place, view) {
    const votes: UnitStatement[] = [];
    for (const record of view.open()) {
      if (votes.length === MAX_VOTES) break;
      if (!mayVote(record, place, view)) continue;
      view.own.lock(record.facts);
      votes.push({ unit: record.facts.digest });
    }
    return votes;
  },
});

/** The vote rule: one unit a slot at a time, below bound, predecessors settled, checks passed. */
function mayVote(record: UnitRecord, place: StatementPlace, view: LocalView): boolean {
  const { facts } = record;
  if (place.round >= view.boundOf(facts) || view.own.hasVoted(facts) || !view.own.isFree(facts)) {
    return false;
  }
  if (!view.isCarried(record, place)) return false;
  const before = predecessors(record, place, view);
  return before !== undefined && isVotable(record, before, view);
}

/**
 * Units on the slots before the unit's own that are not executed: each has a certificate in the
 * history. Undefined when one has none, or a slot is consumed.
 */
function predecessors(
  record: UnitRecord,
  place: StatementPlace,
  view: LocalView,
): ReadonlySet<UnitRecord> | undefined {
  const { facts } = record;
  if (view.isConsumed(facts)) return undefined;
  const found = new Set<UnitRecord>();
  for (const [account, last] of lastSlots(facts)) {
    for (let before = view.next(account); before < last; before++) {
      const slot = { account, sequence: before };
      const isOwn = facts.slots.some((own) => own.account === account && own.sequence === before);
      const settled = isOwn ? record : view.hasCertified(slot, place.history);
      if (settled === undefined) return undefined;
      if (settled !== record) found.add(settled);
      before = lastInRow(settled.facts, slot);
    }
  }
  return found;
}

/** The unit's last slot of each account: what is before it is before or among the others. */
function lastSlots({ slots }: UnitRecord["facts"]): ReadonlyMap<string, bigint> {
  const last = new Map<string, bigint>();
  for (const { account, sequence } of slots) {
    const known = last.get(account);
    if (known === undefined || known < sequence) last.set(account, sequence);
  }
  return last;
}

/** The ledger's checks, with what is promised to certified and ordered predecessors set aside. */
function isVotable(record: UnitRecord, before: ReadonlySet<UnitRecord>, view: LocalView): boolean {
  const reserved = view.reservedBy(before, record.facts);
  if (reserved === undefined) return false;
  const votable = view.checkForVote(record, (key: SpendKey) => reserved.get(key) ?? 0n);
  if (votable.ok) record.spend = votable.spend;
  return votable.ok;
}
