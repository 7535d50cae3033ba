/**
 * What one validator knows of units and slots: who carries, votes for and confirms what, in which
 * blocks; and what it has itself locked and stopped. Statement kinds read it and take note in it.
 */
import type { AccountId } from "#internal/core/mod.ts";
import type {
  Ledger,
  LedgerState,
  Policy,
  SignedUnit,
  Slot,
  SpendKey,
  Unit,
  Votable,
} from "#internal/ledger/mod.ts";
import type { Committee } from "#internal/proofs/mod.ts";
import type { OwnRow } from "./records.ts";
import type { DagNode } from "./dag.ts";
import type { History, StatementPlace } from "./history.ts";
import { inHistory } from "./history.ts";
import type { LaneChanges } from "./lane_order.ts";
import type { Order } from "./order.ts";
import { OwnState } from "./own_state.ts";
import { SlotUnits } from "./slot_units.ts";
import { PulseVotes } from "./pulse_votes.ts";
import type { Reach } from "./reach.ts";
import { REACH } from "./reach.ts";
import type { Term } from "./term.ts";
import { UnitPool } from "./unit_pool.ts";
import type { UnitFacts } from "./unit_facts.ts";
import { lastInRow, sequenceIn, slotKey, unitFacts } from "./unit_facts.ts";

/** What a void slot takes, micro-USD. */
const VOID_RESERVE = 1100n;

/** A unit that some held block carries or that waits here. */
export interface UnitRecord {
  facts: UnitFacts;
  carriers: DagNode[];
  /** The forms in which held blocks name it. */
  readonly forms: Set<string>;
  votes: DagNode[];
  confirms: DagNode[];
  standing: "open" | "executed" | "dead";
  /** A certificate of it is held. */
  final: boolean;
  /** This validator confirmed it. */
  confirmed: boolean;
  /** A client gave it to this validator. */
  submitted: boolean;
  /** Round of the newest own block that carries it. */
  carriedAt: number;
  /** The most it may spend, once it was found votable. */
  spend: ReadonlyMap<SpendKey, bigint> | undefined;
}

/** What a view is made with. */
export interface ViewContext {
  readonly committee: Committee;
  readonly ledger: Ledger;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly self: number | null;
  readonly session: number;
  readonly term: Pick<Term, "closeRound" | "openBelow">;
  /** @default the protocol's */
  readonly reach?: Reach;
}

/** One validator's knowledge of units and slots. */
export class LocalView {
  readonly context: ViewContext;
  readonly reach: Reach;
  readonly own: OwnState;
  readonly pulseVotes: PulseVotes;
  readonly pool: UnitPool;
  readonly #units = new Map<string, UnitRecord>();
  /** Units by slot, open or not, as long as a held block carries them. */
  readonly #bySlot = new SlotUnits();
  /** Open units, in the order they became known. */
  readonly #open = new Set<UnitRecord>();
  /** Slots with two or more units. */
  readonly #rivals = new Set<string>();
  #newlyFinal: string[] = [];
  /** Units with Confirms of which it is not known yet whether they are before the close. */
  readonly #unsure = new Set<UnitRecord>();
  #order: Order | undefined;
  /** The newest executed state. */
  state: LedgerState;

  /** @param state the newest executed one */
  constructor(context: ViewContext, state: LedgerState) {
    this.context = context;
    this.reach = context.reach ?? REACH;
    this.state = state;
    this.own = new OwnState(context.session);
    this.pulseVotes = new PulseVotes(context.committee);
    this.pool = new UnitPool(context.ledger);
  }

  /** The order that decides what is consumed. */
  get order(): Order {
    if (this.#order === undefined) {
      throw new TypeError("Cannot read the order: the view has none yet");
    }
    return this.#order;
  }
  set order(order: Order) {
    this.#order = order;
  }

  unit(digest: string): UnitRecord | undefined {
    return this.#units.get(digest);
  }
  open(): Iterable<UnitRecord> {
    return this.#open;
  }
  get openCount(): number {
    return this.#open.size;
  }
  /** Keys of slots that two or more known units want. */
  get rivalSlots(): ReadonlySet<string> {
    return this.#rivals;
  }
  /**
   * Known units of a slot.
   * @param account the slot's, for who has it at hand
   */
  on(key: string, account?: AccountId): readonly UnitRecord[] {
    const found: UnitRecord[] = [];
    for (const digest of this.#bySlot.on(key, account)) {
      const record = this.#units.get(digest);
      if (record !== undefined) found.push(record);
    }
    return found;
  }

  /** The record of a unit, made if need be. */
  intern(signed: SignedUnit): UnitRecord {
    const { ledger } = this.context;
    const digest = ledger.unitDigest(signed.unit);
    const known = this.#units.get(digest);
    if (known !== undefined) return known;
    const facts = unitFacts(ledger, signed);
    const record: UnitRecord = {
      facts,
      carriers: [],
      forms: new Set(),
      votes: [],
      confirms: [],
      standing: "open",
      final: false,
      confirmed: false,
      submitted: false,
      carriedAt: 0,
      spend: undefined,
    };
    if (this.isConsumed(facts) || this.boundOf(facts) <= this.order.lastAnchor) {
      record.standing = "dead";
    }
    this.#units.set(digest, record);
    if (record.standing === "open") this.#open.add(record);
    for (const key of facts.keys) {
      if (this.#bySlot.add(key, digest) > 1) this.#rivals.add(key);
    }
    return record;
  }

  /** A block was accepted that carries the unit in a form. */
  carried(record: UnitRecord, form: string, node: DagNode): void {
    record.carriers.push(node);
    record.forms.add(form);
    if (node.author === this.context.self) {
      record.carriedAt = Math.max(record.carriedAt, node.round);
    }
  }

  confirmAdded(record: UnitRecord, node: DagNode): void {
    record.confirms.push(node);
    if (node.round >= this.#openBelow) this.#unsure.add(record);
    this.#lookForCertificate(record);
  }

  #lookForCertificate(record: UnitRecord): void {
    if (record.final || this.certificateOf(record) === undefined) return;
    record.final = true;
    this.#newlyFinal.push(record.facts.digest);
  }

  /** A Pulse was executed to this state: what it says of the session's end makes Confirms count. */
  pulseExecuted(state: LedgerState): void {
    this.state = state;
    const unsure = [...this.#unsure];
    this.#unsure.clear();
    for (const record of unsure) {
      this.#lookForCertificate(record);
      const isOpen = !record.final && record.standing === "open";
      if (isOpen && record.confirms.some(({ round }) => round >= this.#openBelow)) {
        this.#unsure.add(record);
      }
    }
  }

  /** Confirms in rounds below it are before the session's close, as far as is executed here. */
  get #openBelow(): number {
    return this.context.term.openBelow(this.order.pulse);
  }

  /** Statements on the unit count below it, as far as the session's end is known. */
  boundOf({ bound }: UnitFacts): number {
    return Math.min(bound, this.context.term.closeRound);
  }

  /** Units whose certificates appeared since the last call. */
  takeFinal(): string[] {
    const final = this.#newlyFinal;
    this.#newlyFinal = [];
    return final;
  }

  /** The first slot of an account that the order has not consumed. */
  next(account: AccountId): bigint {
    return this.order.lanes.next(account) ?? 0n;
  }
  isConsumed({ slots }: UnitFacts): boolean {
    let [whose, next] = ["", 0n];
    for (const { account, sequence } of slots) {
      // Members mostly are of one account.
      if (account !== whose) [whose, next] = [account, this.next(account)];
      if (sequence < next) return true;
    }
    return false;
  }

  /** The session's close alone ended it: it may be voted in the next one. */
  waitsForSession({ standing, facts }: UnitRecord): boolean {
    return standing === "dead" && facts.bound > this.order.lastAnchor && !this.isConsumed(facts);
  }

  /** A held block at most the span below the place carries the unit; or the place does. */
  isCarried(record: UnitRecord, place: StatementPlace): boolean {
    return place.carries.has(record.facts.digest) ||
      record.carriers.some((node) =>
        node.round >= place.round - this.reach.spanRounds && inHistory(place.history, node)
      );
  }

  /**
   * The place's history holds a vote quorum for the unit, below its bound: of blocks at most
   * the span below the place that descend from, or are, one so low at most that carries
   * the unit. Votes in the place's own block count.
   */
  hasVoteQuorum(record: UnitRecord, place: StatementPlace): boolean {
    const { facts, votes } = record;
    const { committee } = this.context;
    const lowest = place.round - this.reach.spanRounds;
    const carriers = record.carriers.filter((node) => node.round >= lowest);
    let mask = 0;
    if (
      place.votes.has(facts.digest) && place.round < facts.bound && this.isCarried(record, place)
    ) {
      mask |= 1 << place.author;
    }
    for (const vote of votes) {
      if (
        vote.round < facts.bound && vote.round >= lowest && inHistory(place.history, vote) &&
        carriers.some((carrier) => inHistory(vote.history, carrier))
      ) {
        mask |= 1 << vote.author;
      }
    }
    return committee.isQuorum(mask);
  }

  /** Confirms that make a certificate: of a quorum, below bound and close, within the span. */
  certificateOf(record: UnitRecord, history?: History): readonly DagNode[] | undefined {
    const { committee } = this.context;
    const below = Math.min(record.facts.bound, this.#openBelow);
    const nodes = record.confirms
      .filter((node) => node.round < below && (history === undefined || inHistory(history, node)))
      .sort((a, b) => a.round - b.round || a.author - b.author);
    for (let first = 0; first < nodes.length; first++) {
      const from = (nodes[first] as DagNode).round;
      const chosen = new Map<number, DagNode>();
      let mask = 0;
      for (const node of nodes.slice(first)) {
        if (node.round > from + this.reach.spanRounds) break;
        if (!chosen.has(node.author)) chosen.set(node.author, node);
        mask |= 1 << node.author;
        if (committee.isQuorum(mask)) return [...chosen.values()];
      }
    }
    return undefined;
  }

  /** A unit of the slot has a certificate in the history. */
  hasCertified({ account, sequence }: Slot, history: History): UnitRecord | undefined {
    for (const record of this.on(slotKey(account, sequence), account)) {
      if (record.confirms.length > 0 && this.certificateOf(record, history)) return record;
    }
    return undefined;
  }

  /** Some held block of the history, or the place itself, carries the unit. */
  isKnownTo(record: UnitRecord, place: StatementPlace): boolean {
    return place.carries.has(record.facts.digest) ||
      record.carriers.some((node) => inHistory(place.history, node));
  }

  /** The ledger's verdict on a vote, by the newest executed state. */
  checkForVote(record: UnitRecord, reservedOf: (key: SpendKey) => bigint): Votable {
    return this.#votable(record.facts.signed, reservedOf);
  }

  #votable(signed: SignedUnit, reservedOf: (key: SpendKey) => bigint): Votable {
    const { ledger, chain } = this.context;
    const head = BigInt(this.order.pulse);
    return ledger.checkForVote(this.state, signed, { chain, head, reservedOf });
  }

  /**
   * The most that units before one on these slots may still take: those given, and those that are ordered but
   * not executed. Undefined when it is not known of one of them.
   */
  reservedBy(
    before: Iterable<UnitRecord>,
    unit: Pick<UnitFacts, "slots">,
  ): ReadonlyMap<SpendKey, bigint> | undefined {
    const all = new Set(before);
    const reserved = new Map<SpendKey, bigint>();
    const add = (key: SpendKey, amount: bigint): void => {
      reserved.set(key, (reserved.get(key) ?? 0n) + amount);
    };
    // Of units that a full Pulse left to the next, no record may be held any more.
    const left = new Set<SignedUnit>();
    for (const account of new Set(unit.slots.map((slot) => slot.account))) {
      const next = this.next(account);
      for (let at = sequenceIn(this.state, account) ?? 0n; at < next; at++) {
        const executed = this.on(slotKey(account, at), account).find(({ standing }) =>
          standing === "executed"
        );
        if (executed !== undefined) {
          all.add(executed);
          at = lastInRow(executed.facts, { account, sequence: at });
          continue;
        }
        const decided = this.order.lanes.decidedOn(account, at);
        if (decided !== undefined) left.add(decided);
        else add(account, VOID_RESERVE);
      }
    }
    for (const signed of left) {
      const votable = this.#votable(signed, () => 0n);
      if (!votable.ok) return undefined;
      for (const [key, amount] of votable.spend) add(key, amount);
    }
    for (const record of all) {
      if (record.spend === undefined) {
        const votable = this.checkForVote(record, () => 0n);
        if (!votable.ok) return undefined;
        record.spend = votable.spend;
      }
      for (const [key, amount] of record.spend) add(key, amount);
    }
    return reserved;
  }

  /** Takes over what the order decided. */
  decided(changes: LaneChanges): void {
    for (
      const [standing, list] of [["executed", changes.executed], ["dead", changes.dead]] as const
    ) {
      for (const { digest } of list) {
        const record = this.#units.get(digest);
        if (record === undefined || record.standing !== "open") continue;
        record.standing = standing;
        this.#open.delete(record);
      }
    }
    for (const { key } of changes.consumed) this.own.slotConsumed(key);
  }

  /**
   * An anchor was executed: locks of units whose bound it reached are released.
   * @returns units that died by it, unknown to the order.
   */
  anchorExecuted(round: number): UnitRecord[] {
    this.own.anchorExecuted(round);
    const dead: UnitRecord[] = [];
    for (const record of this.#open) {
      if (this.boundOf(record.facts) > round && !this.isConsumed(record.facts)) continue;
      record.standing = "dead";
      this.#open.delete(record);
      dead.push(record);
    }
    return dead;
  }

  /** Units that clients gave to this validator and that the order has not used. */
  unfinished(): UnitRecord[] {
    return [...this.#units.values()].filter((record) =>
      record.submitted && record.standing !== "executed" && !this.isConsumed(record.facts) &&
      record.facts.signed.authorization.signatures.length > 0
    );
  }

  /** Forgets units that no held block carries and that do not wait here. */
  prune(floor: number, isQueued: (digest: string) => boolean): void {
    const gone = new Set<string>();
    for (const [digest, record] of this.#units) {
      for (const nodes of [record.carriers, record.votes, record.confirms]) {
        if (nodes.some(({ round }) => round < floor)) {
          nodes.splice(0, nodes.length, ...nodes.filter(({ round }) => round >= floor));
        }
      }
      if (record.carriers.length > 0) continue;
      if (isQueued(digest)) {
        this.pool.unname(record.forms);
        record.forms.clear();
        continue;
      }
      this.#units.delete(digest);
      this.#open.delete(record);
      this.pool.forget(record.forms);
      this.#leaveSlots(record.facts);
      gone.add(digest);
    }
    this.#bySlot.forgetPast(gone);
  }

  #leaveSlots({ digest, keys }: UnitFacts): void {
    for (const key of keys) if (this.#bySlot.delete(key, digest) < 2) this.#rivals.delete(key);
  }

  /**
   * Drops the bytes and signatures of a unit that is decided. Once the state has executed or passed over all
   * its members nothing asks for what they would spend: its digest, runs of its slots and one of these stay.
   */
  strip(record: UnitRecord): void {
    const { facts } = record;
    const { slots, keys, signed: { unit, authorization: { policy } } } = facts;
    // A unit without keys is past already.
    if (record.standing === "open" || keys.length === 0) return;
    this.pool.strip(record.forms);
    const isPast = slots.every(({ account, sequence }) =>
      sequence < (sequenceIn(this.state, account) ?? 0n)
    );
    if (!isPast) {
      record.facts = { ...facts, signed: unsigned(unit, policy) };
      return;
    }
    this.#leaveSlots(facts);
    this.#bySlot.addPast(facts.digest, slots);
    // That one is consumed says of each of them that it is.
    record.facts = { ...facts, slots: slots.slice(0, 1), keys: NO_KEYS, signed: NO_UNIT };
    record.spend = undefined;
    // Grown lists have room for more, which rarely comes now.
    record.carriers = record.carriers.slice();
    record.votes = record.votes.slice();
    record.confirms = record.confirms.slice();
  }

  /** Rows of the own state that changed since the last call. */
  takeRows(): OwnRow[] {
    return this.own.takeRows();
  }
}

const NO_KEYS: readonly string[] = [];

/** Stands for units that are past, all of them. */
const NO_UNIT: SignedUnit = {
  unit: { chain: "", validUntil: 0n, maxFee: 0n, members: [] },
  authorization: { policy: { threshold: 0, keys: [] }, salts: [], signatures: [] },
};

/** What is left of a signed unit that nobody is sent any more. */
function unsigned(unit: Unit, policy: Policy): SignedUnit {
  return { unit, authorization: { policy, salts: [], signatures: [] } };
}
