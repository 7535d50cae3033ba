/**
 * `Confirm`: the vote quorum of the unit is in the block's history. A quorum of Confirms is the
 * unit's lane certificate: it will execute.
 */
import type { UnitStatement } from "#internal/proofs/mod.ts";
import { STATEMENT_TAGS, unitStatementCodec } from "#internal/proofs/mod.ts";
import type { LocalView, UnitRecord } from "../local_view.ts";
import type { StatementPlace } from "../history.ts";
import { defineStatement } from "../statement_kind.ts";

/** Confirms of one block. */
const MAX_CONFIRMS = 4096;

export const confirm = defineStatement<"confirm", UnitStatement>({
  name: "confirm",
  tag: STATEMENT_TAGS.confirm,
  codec: unitStatementCodec,
  fault({ unit }, place, view) {
    const record = view.unit(unit);
    return record !== undefined && view.hasVoteQuorum(record, place)
      ? undefined
      : "it confirms a unit without its vote quorum";
  },
  accepted({ unit }, node, view) {
    const record = view.unit(unit);
    if (record !== undefined) view.confirmAdded(record, node);
  },
  propose(place, view) {
    const confirms: UnitStatement[] = [];
    for (const record of view.open()) {
      if (confirms.length === MAX_CONFIRMS) break;
      if (!mayConfirm(record, place, view)) continue;
      record.confirmed = true;
      confirms.push({ unit: record.facts.digest });
    }
    return confirms;
  },
});

/** The confirm rule: vote quorum in the history, below bound, not against an own Stop. */
function mayConfirm(record: UnitRecord, place: StatementPlace, view: LocalView): boolean {
  return !record.confirmed && place.round < view.boundOf(record.facts) &&
    view.own.mayConfirm(record.facts) && view.hasVoteQuorum(record, place);
}
