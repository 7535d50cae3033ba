/**
 * Rules that look right and are not, each with what is broken by it. A simulator that does not find
 * one of them within a bounded number of seeds is worth nothing.
 */
import type { AnyStatementKind } from "#internal/consensus/mod.ts";
import type { UnitStatement } from "#internal/proofs/mod.ts";
import type { StatementPlace } from "../../internal/consensus/history.ts";
import type { LocalView, UnitRecord } from "../../internal/consensus/local_view.ts";
import { slotKey } from "../../internal/consensus/unit_facts.ts";
import type { Rules } from "./rules.ts";
import { PRODUCT } from "./rules.ts";

type Kinds = readonly AnyStatementKind[];
type Propose = NonNullable<AnyStatementKind["propose"]>;

/** A client takes a vote quorum for final. */
const FINAL_AT_VOTES: Rules = { ...PRODUCT, name: "final-at-votes", finalBy: "vote" };

/** Confirms do not heed the own Stops. */
const CONFIRM_AFTER_STOP: Rules = {
  ...PRODUCT,
  name: "confirm-after-stop",
  kinds: (kinds) => changed(kinds, "confirm", { propose: confirming({ heedsStops: false }) }),
};

/** A unit executes where its Confirms, not its votes, complete a quorum in the order. */
const EXECUTE_AT_CERTIFICATE: Rules = {
  ...PRODUCT,
  name: "execute-at-certificate",
  kinds: (kinds) =>
    changed(changed(kinds, "vote", { ordered: () => {} }), "confirm", {
      ordered: ({ unit }, node, order) => order.lanes.vote(unit, node.author, node.round),
    }),
};

/** Whether a unit is in time is asked of the voter's newest anchor, not of the statement's round. */
const EXPIRY_BY_LOCAL_PULSE: Rules = {
  ...PRODUCT,
  name: "expiry-by-local-pulse",
  bounded: false,
  kinds: (kinds) => {
    const votes = changed(kinds, "vote", {
      propose: voting({ inTime: (record, _place, view) => isLocallyOpen(record, view) }),
      // The round is hidden from the order, which would not count a late vote.
      ordered: ({ unit }, node, order) => order.lanes.vote(unit, node.author, 0),
    });
    return changed(votes, "confirm", {
      fault: ({ unit }, place, view) => {
        const record = view.unit(unit);
        return record !== undefined && view.hasVoteQuorum(endless(record), place)
          ? undefined
          : "it confirms a unit without its vote quorum";
      },
      propose: confirming({ heedsStops: true, bounded: false }),
    });
  },
};

/** Locks end when the voter's round, not an executed anchor, reaches the bound. */
const UNLOCK_BY_LOCAL_ROUND: Rules = {
  ...PRODUCT,
  name: "unlock-by-local-round",
  kinds: (kinds) =>
    changed(kinds, "vote", {
      propose: voting({ lockHolds: (bound, place) => place.round < bound }),
    }),
};

/** The next slot's unit gets votes when the one before has a vote quorum, not a certificate. */
const PIPELINE_ON_VOTES: Rules = {
  ...PRODUCT,
  name: "pipeline-on-votes",
  kinds: (kinds) =>
    changed(kinds, "vote", {
      propose: voting({ isReady: (record, place, view) => view.hasVoteQuorum(record, place) }),
    }),
};

/** Confirms count however far above their votes, while old blocks are never ordered. */
const HORIZON_WITHOUT_SPAN: Rules = {
  ...PRODUCT,
  name: "horizon-without-span",
  reach: { horizonRounds: 6, spanRounds: 1_000_000 },
};
/** The same horizon with its span, which is right. */
export const NEAR_HORIZON: Rules = {
  ...PRODUCT,
  name: "near-horizon",
  reach: { horizonRounds: 6, spanRounds: 3 },
};

/** Nobody stops a slot. */
const NO_STOP: Rules = {
  ...PRODUCT,
  name: "no-stop",
  kinds: (kinds) => changed(kinds, "stop", { propose: () => [] }),
};

/** What is sent does not wait for the disk. */
const ACK_BEFORE_SYNC: Rules = { ...PRODUCT, name: "ack-before-sync", hasty: true };

/** Who leaves a session says nothing in it any more, and gives the others nothing. */
const SILENT_LEAVER: Rules = { ...PRODUCT, name: "silent-leaver", handsOver: false };

/** Half of the validators are a quorum. */
export const QUORUM_OF_TWO: Rules = {
  ...PRODUCT,
  name: "quorum-of-two",
  committee: (real) => ({
    ...real,
    quorum: real.total / 2n,
    isQuorum: (mask) => 2n * real.weightOf(mask) >= real.total,
  }),
};

/** All of them. */
export const BROKEN_RULES: readonly Rules[] = [
  FINAL_AT_VOTES,
  CONFIRM_AFTER_STOP,
  EXECUTE_AT_CERTIFICATE,
  EXPIRY_BY_LOCAL_PULSE,
  UNLOCK_BY_LOCAL_ROUND,
  PIPELINE_ON_VOTES,
  HORIZON_WITHOUT_SPAN,
  NO_STOP,
  ACK_BEFORE_SYNC,
  SILENT_LEAVER,
  QUORUM_OF_TWO,
];

function changed(kinds: Kinds, name: string, change: Partial<AnyStatementKind>): Kinds {
  if (!kinds.some((kind) => kind.name === name)) throw new RangeError(`no statement is ${name}`);
  return kinds.map((kind) => (kind.name === name ? { ...kind, ...change } : kind));
}

/** The unit as if it never expired. */
function endless(record: UnitRecord): UnitRecord {
  return { ...record, facts: { ...record.facts, bound: Number.MAX_SAFE_INTEGER } };
}

function isLocallyOpen({ facts }: UnitRecord, view: LocalView): boolean {
  return view.order.lastAnchor < facts.bound;
}

/** The confirm rule, with a part of it left out. */
function confirming(
  { heedsStops, bounded = true }: { readonly heedsStops: boolean; readonly bounded?: boolean },
): Propose {
  return (place, view) => {
    const confirms: UnitStatement[] = [];
    for (const record of view.open()) {
      const counted = bounded ? record : endless(record);
      const inTime = bounded ? place.round < record.facts.bound : isLocallyOpen(record, view);
      if (record.confirmed || !inTime || !view.hasVoteQuorum(counted, place)) continue;
      if (heedsStops && !view.own.mayConfirm(record.facts)) continue;
      record.confirmed = true;
      confirms.push({ unit: record.facts.digest });
    }
    return confirms;
  };
}

/** Parts of the vote rule, each of which a broken rule replaces. */
interface VoteParts {
  readonly inTime?: (record: UnitRecord, place: StatementPlace, view: LocalView) => boolean;
  /** A lock until this bound still holds. */
  readonly lockHolds?: (bound: number, place: StatementPlace) => boolean;
  /** The unit before is far enough. */
  readonly isReady?: (record: UnitRecord, place: StatementPlace, view: LocalView) => boolean;
}

/** The vote rule with parts replaced. Money is not looked at: nothing here runs short of it. */
function voting({
  inTime = ({ facts }, { round }) => round < facts.bound,
  lockHolds = () => true,
  isReady = (record, { history }, view) => view.certificateOf(record, history) !== undefined,
}: VoteParts): Propose {
  const isFree = ({ facts }: UnitRecord, place: StatementPlace, view: LocalView): boolean =>
    facts.keys.every((key) => {
      const lock = view.own.lockOf(key);
      return view.own.stopOf(key) === undefined &&
        (lock === undefined || lock.unit === facts.digest || !lockHolds(lock.bound, place));
    });
  const isNext = ({ facts }: UnitRecord, place: StatementPlace, view: LocalView): boolean => {
    const own = new Set(facts.keys);
    return facts.slots.every(({ account, sequence }) => {
      const next = view.next(account);
      if (sequence < next) return false;
      for (let before = next; before < sequence; before++) {
        const key = slotKey(account, before);
        if (!own.has(key) && ![...view.on(key)].some((unit) => isReady(unit, place, view))) {
          return false;
        }
      }
      return true;
    });
  };
  return (place, view) => {
    const votes: UnitStatement[] = [];
    for (const record of view.open()) {
      if (!inTime(record, place, view) || view.own.hasVoted(record.facts)) continue;
      if (!isFree(record, place, view) || !view.isCarried(record, place)) continue;
      if (!isNext(record, place, view)) continue;
      view.own.lock(record.facts);
      votes.push({ unit: record.facts.digest });
    }
    return votes;
  };
}
