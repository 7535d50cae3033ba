/** What a client's submission comes to at this validator. */
import type { SignedUnit } from "#internal/ledger/mod.ts";
import { MAX_MEMBERS } from "#internal/ledger/mod.ts";
import type { Answer } from "./contract.ts";
import type { LocalView, UnitRecord } from "./local_view.ts";
import { sequenceIn, slotKey } from "./unit_facts.ts";
import type { UnitQueue } from "./unit_queue.ts";

/** Slots of an account that may wait before a unit's first: two units of the most members. */
const MAX_AHEAD = 2n * BigInt(MAX_MEMBERS);
/** Executed Pulses without a certificate, beyond which nothing new is carried. */
export const MAX_UNCERTIFIED = 8;
/** Rivals of one slot that are carried; more prove nothing more. */
const MAX_RIVALS = 2;

/** Where a submission may go. */
export interface SubmissionContext {
  readonly view: LocalView;
  readonly queue: UnitQueue;
  readonly bytesOf: (signed: SignedUnit) => number;
}

const refused = (code: string, reason: string): Answer => ({ type: "refused", code, reason });

/** Decides on a unit whose authorization is verified, and queues it if it may be carried. */
export function submit(
  signed: SignedUnit,
  forced: boolean,
  { view, queue, bytesOf }: SubmissionContext,
): { readonly digest: string; readonly answer: Answer } {
  const digest = view.context.ledger.unitDigest(signed.unit);
  const answer = (): Answer => {
    if (view.pulseVotes.uncertifiedCount > MAX_UNCERTIFIED) {
      return refused("busy", "Pulses are not certified at the moment: try again later");
    }
    const known = view.unit(digest);
    if (known?.standing === "executed") return refused("slot", "it is executed");
    if (known !== undefined && view.waitsForSession(known)) {
      known.submitted = true;
      return { type: "accepted" };
    }
    if (known?.standing === "dead") return refused("slot", "its slot is used or its time is over");
    const fault = faultOf(signed, view);
    if (fault !== undefined) return fault;
    const record = view.intern(signed);
    const rival = rivalOf(record, view);
    const isForced = forced && record.facts.slots.length === 1;
    const carried = record.carriers.length > 0 && !isForced;
    if (!carried && !(rival !== undefined && rivals(record, view) > MAX_RIVALS)) {
      if (!queue.push({ signed, digest, forced: isForced, bytes: bytesOf(signed) })) {
        return refused("busy", "too many units wait here: try again later");
      }
    }
    record.submitted = true;
    return rival === undefined ? { type: "accepted" } : { type: "locked", by: rival };
  };
  return { digest, answer: answer() };
}

/**
 * Takes note of a unit that another validator's client signed, whose authorization is verified.
 * @returns its record if it may be carried here: it is new, the checks pass, and no other holds a slot of it.
 */
export function takeShared(signed: SignedUnit, view: LocalView): UnitRecord | undefined {
  const known = view.unit(view.context.ledger.unitDigest(signed.unit));
  if (known !== undefined && (known.standing !== "open" || known.carriers.length > 0)) {
    return undefined;
  }
  if (faultOf(signed, view) !== undefined) return undefined;
  const record = view.intern(signed);
  return rivalOf(record, view) === undefined ? record : undefined;
}

/** The ledger's checks, with everything of the same accounts that waits before it set aside. */
function faultOf(signed: SignedUnit, view: LocalView): Answer | undefined {
  const { ledger } = view.context;
  const slots = ledger.slots(signed.unit);
  const before = new Set<UnitRecord>();
  const looked = new Set<string>();
  for (const { account, sequence } of slots) {
    // A unit's slots of one account follow each other: what holds of the first holds of all.
    if (looked.has(account)) continue;
    looked.add(account);
    const next = view.next(account);
    if (sequence < next) return refused("slot", `slot ${sequence} is used, ${next} is next`);
    if (sequence > next + MAX_AHEAD) {
      return refused("slot", `slot ${sequence} is too far ahead, ${next} is next`);
    }
    for (let at = next; at < sequence; at++) {
      for (const record of view.on(slotKey(account, at), account)) {
        if (record.standing === "open") before.add(record);
      }
    }
  }
  const reserved = view.reservedBy([...before].filter((unit) => unit.spend !== undefined), {
    slots,
  });
  const votable = ledger.checkForVote(view.state, signed, {
    chain: view.context.chain,
    head: BigInt(view.order.pulse),
    reservedOf: (key) => reserved?.get(key) ?? 0n,
  });
  if (!votable.ok) return refused(votable.code, votable.reason);
  const unknown = slots.find(({ account }) => sequenceIn(view.state, account) === undefined);
  if (unknown !== undefined) return refused("balance", "its account does not exist");
  return undefined;
}

/**
 * The unit that holds one of the slots, if it is another: by this validator's vote, or by having
 * been here first; rivals that came later hold nothing. The lock of a dead unit is about to be
 * released, and nobody can complete it.
 */
function rivalOf(record: UnitRecord, view: LocalView): string | undefined {
  const { digest, keys, slots } = record.facts;
  for (const [at, key] of keys.entries()) {
    const lock = view.own.lockOf(key);
    const holder = lock !== undefined && view.unit(lock.unit)?.standing !== "dead"
      ? lock.unit
      : view.on(key, slots[at]?.account).find(({ standing }) => standing === "open")?.facts.digest;
    if (holder !== undefined && holder !== digest) return holder;
  }
  return undefined;
}

function rivals(record: UnitRecord, view: LocalView): number {
  const open = (key: string): number =>
    view.on(key).filter(({ standing }) => standing === "open").length;
  return Math.max(...record.facts.keys.map(open));
}
