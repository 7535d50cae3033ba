/**
 * What becomes of units, as a function of the ordered blocks only: votes and stops are counted while
 * the order is walked, units execute where their vote quorum completes, contested slots are settled,
 * the rest dies at its bound.
 */
import type { AccountId } from "#internal/core/mod.ts";
import type { Ledger, LedgerState, Ordered, SignedUnit, Slot } from "#internal/ledger/mod.ts";
import type { Committee } from "#internal/proofs/mod.ts";
import { SETTLED_BYTES, UNIT_EXTRA_BYTES } from "#internal/proofs/mod.ts";
import type { ForcedEntry } from "./forced.ts";
import { ForcedSet } from "./forced.ts";
import type { Reach } from "./reach.ts";
import { REACH } from "./reach.ts";
import type { Term } from "./term.ts";
import type { UnitFacts } from "./unit_facts.ts";
import { sequenceIn, slotKey } from "./unit_facts.ts";

/** Stops count for this many slots of an account, from its next. */
export const STOP_SLOTS = 64n;

/** Unsettled Stops of one author that count; beyond it only a liar goes. */
const MAX_OPEN_STOPS = 4096;

/** Where an ordered block carries a unit. */
export interface Carrier {
  readonly round: number;
  readonly author: number;
  /** The block's id, 64 hex digits. */
  readonly block: string;
  /** Place among the block's units. */
  readonly position: number;
}

/** An undecided unit of the order. */
export interface LaneEntry {
  readonly facts: UnitFacts;
  /** In the order they were walked. The signed form of the first is what executes. */
  readonly carriers: readonly { readonly at: Carrier; readonly facts: UnitFacts }[];
  /** Author to the highest round of its votes. */
  readonly votes: ReadonlyMap<number, number>;
}

interface Entry extends LaneEntry {
  carriers: { at: Carrier; facts: UnitFacts }[];
  votes: Map<number, number>;
}

/** Validators that stopped a slot, with the rounds in which they did. */
export interface StopTally extends Slot {
  readonly by: ReadonlyMap<number, number>;
}

/** The statements of a quorum that decided a unit or slot: Votes, or Stops of a settled one. */
export interface Lock {
  readonly type: "votes" | "stops";
  /** By ascending author: the round of its ordered block that says so. */
  readonly by: readonly { readonly author: number; readonly round: number }[];
}

/** What is to be executed, and why. */
export interface Decided {
  readonly item: Ordered;
  /** Canonical bytes of a unit; a settled slot has none. */
  readonly bytes: Uint8Array | undefined;
  readonly slots: readonly Slot[];
  readonly lock: Lock;
}

/** What the order decided since it was last asked. */
export interface LaneChanges {
  readonly executed: readonly UnitFacts[];
  readonly dead: readonly UnitFacts[];
  readonly consumed: readonly KeyedSlot[];
}

/** A slot with its key. */
export interface KeyedSlot extends Slot {
  readonly key: string;
}

/** What lanes are decided with. */
export interface LaneContext {
  readonly committee: Committee;
  readonly ledger: Ledger;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** When the session ends. */
  readonly term: Pick<Term, "closeRound">;
  /** @default the protocol's */
  readonly reach?: Reach;
}

/** The lanes of a session, as the order has them. */
export class LaneOrder {
  readonly #context: LaneContext;
  readonly #horizonRounds: number;
  readonly #pulseBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #bySlot = new Map<string, Set<string>>();
  readonly #stops = new Map<string, StopTally>();
  /** Of each author, its unsettled Stops. */
  readonly #openStops = new Map<number, number>();
  readonly forced: ForcedSet;
  /** Slots consumed by what is ordered but not executed yet: account to its next slot. */
  readonly #next = new Map<AccountId, bigint>();
  #state: LedgerState;
  /** The Pulse that is being ordered. */
  #pulse: number;
  #lastAnchor = 0;
  #ordered: Decided[] = [];
  #changes = { executed: [] as UnitFacts[], dead: [] as UnitFacts[], consumed: [] as KeyedSlot[] };

  constructor(context: LaneContext, state: LedgerState, pulse: number) {
    this.#context = context;
    const { horizonRounds, pulseBytes } = { ...REACH, ...context.reach };
    this.#horizonRounds = horizonRounds;
    this.#pulseBytes = pulseBytes;
    this.#state = state;
    this.#pulse = pulse;
    this.forced = new ForcedSet(context);
  }

  /** The first slot of an account that the order has not consumed; undefined without the account. */
  next(account: AccountId): bigint | undefined {
    return this.#next.get(account) ?? sequenceIn(this.#state, account);
  }

  /** Undecided units, by digest. */
  get entries(): ReadonlyMap<string, LaneEntry> {
    return this.#entries;
  }
  get stops(): ReadonlyMap<string, StopTally> {
    return this.#stops;
  }
  /** Whether anything waits to execute with the Pulse that is being ordered. */
  get hasOrdered(): boolean {
    return this.#ordered.length > 0;
  }

  /** A walked block carries the unit. */
  carry(facts: UnitFacts, at: Carrier, forced: boolean): void {
    if (this.#boundOf(facts) <= this.#lastAnchor || this.#isConsumed(facts)) return;
    let entry = this.#entries.get(facts.digest);
    if (entry === undefined) {
      entry = { facts, carriers: [], votes: new Map() };
      this.#entries.set(facts.digest, entry);
      for (const key of facts.keys) {
        const units = this.#bySlot.get(key);
        if (units) units.add(facts.digest);
        else this.#bySlot.set(key, new Set([facts.digest]));
      }
    }
    entry.carriers.push({ at, facts });
    if (forced) this.forced.admit(facts, this.#state, this.#pulse, (a) => this.next(a));
  }

  /** A walked block votes for the unit. A vote without a carrier before it counts for nothing. */
  vote(digest: string, author: number, round: number): void {
    const entry = this.#entries.get(digest);
    if (entry === undefined || round >= this.#boundOf(entry.facts)) return;
    entry.votes.set(author, Math.max(round, entry.votes.get(author) ?? 0));
    this.#tryExecute(entry);
  }

  /** A walked block stops the slot. */
  stop({ account, sequence }: Slot, author: number, round: number): void {
    const next = this.next(account);
    if (next === undefined || sequence < next || sequence >= next + STOP_SLOTS) return;
    const key = slotKey(account, sequence);
    const before = this.#stops.get(key)?.by ?? new Map<number, number>();
    const open = this.#openStops.get(author) ?? 0;
    if (before.has(author) || open >= MAX_OPEN_STOPS) return;
    this.#openStops.set(author, open + 1);
    this.#stops.set(key, { account, sequence, by: new Map([...before, [author, round]]) });
  }

  #dropStops(key: string): void {
    const by = this.#stops.get(key)?.by;
    this.#stops.delete(key);
    for (const author of by?.keys() ?? []) {
      this.#openStops.set(author, (this.#openStops.get(author) ?? 1) - 1);
    }
  }

  /** After an anchor and all that it ordered: settle what is stopped, bury what is too late. */
  afterAnchor(round: number): void {
    this.#settle(round);
    this.#lastAnchor = round;
    for (const entry of this.#entries.values()) {
      if (this.#boundOf(entry.facts) <= round) this.#drop(entry, "dead");
      else this.#forget(entry, round - this.#horizonRounds);
    }
    this.forced.afterAnchor(round);
  }

  /**
   * What the finished Pulse executes, in certified order: as much as one Pulse takes. The rest is
   * the beginning of the next one.
   */
  takeOrdered(): readonly Decided[] {
    let bytes = 0;
    let count = 0;
    for (const decided of this.#ordered) {
      bytes += publishedBytes(decided);
      if (bytes > this.#pulseBytes && count > 0) break;
      count++;
    }
    return this.#ordered.splice(0, count);
  }

  /** What is decided and left to a later Pulse, in certified order. */
  get left(): readonly Decided[] {
    return this.#ordered;
  }

  /** The unit that is decided to execute on a slot and has not executed. */
  decidedOn(account: AccountId, sequence: bigint): SignedUnit | undefined {
    const found = this.#ordered.find(({ slots }) =>
      slots.some((slot) => slot.account === account && slot.sequence === sequence)
    );
    return found?.item.type === "unit" ? found.item.signed : undefined;
  }

  /** Takes over what the order before left. */
  inherit(left: readonly Decided[]): void {
    this.#ordered.push(...left);
    this.#countLeft();
  }

  #countLeft(): void {
    for (const { account, sequence } of this.#ordered.flatMap(({ slots }) => slots)) {
      const next = this.#next.get(account) ?? 0n;
      if (sequence >= next) this.#next.set(account, sequence + 1n);
    }
  }

  /** The Pulse was executed to this state; the next one begins. */
  pulseExecuted(state: LedgerState): void {
    this.#state = state;
    this.#next.clear();
    this.#countLeft();
    this.forced.pulseExecuted(this.#pulse);
    this.#pulse++;
  }

  /** What was decided since the last call. */
  takeChanges(): LaneChanges {
    const changes = this.#changes;
    this.#changes = { executed: [], dead: [], consumed: [] };
    return changes;
  }

  /** Puts back what a tail says. */
  restore(tail: {
    readonly lastAnchor: number;
    readonly entries: readonly Omit<LaneEntry, "facts">[];
    readonly stops: readonly StopTally[];
    readonly forced: readonly ForcedEntry[];
    readonly left: readonly Decided[];
  }): void {
    this.inherit(tail.left);
    for (const { carriers, votes } of tail.entries) {
      for (const { at, facts } of carriers) this.carry(facts, at, false);
      const digest = carriers[0]?.facts.digest;
      const entry = digest === undefined ? undefined : this.#entries.get(digest);
      if (entry !== undefined) entry.votes = new Map(votes);
    }
    for (const { by, ...slot } of tail.stops) {
      for (const [author, round] of by) this.stop(slot, author, round);
    }
    this.forced.restore(tail.forced);
    this.#lastAnchor = tail.lastAnchor;
  }

  /** Statements on the unit count below it. */
  #boundOf({ bound }: UnitFacts): number {
    return Math.min(bound, this.#context.term.closeRound);
  }

  #isConsumed(facts: UnitFacts): boolean {
    return facts.slots.some(({ account, sequence }) => sequence < (this.next(account) ?? 0n));
  }

  #isQuorum(authors: Iterable<number>): boolean {
    let mask = 0;
    for (const author of authors) mask |= 1 << author;
    return this.#context.committee.isQuorum(mask);
  }

  #hasQuorum(entry: Entry): boolean {
    return this.#isQuorum(entry.votes.keys());
  }

  /** True when each of its slots is the next of its account, those of the unit itself counted. */
  #isNext(facts: UnitFacts): boolean {
    const next = new Map<AccountId, bigint>();
    const slots = [...facts.slots].sort((a, b) => a.sequence < b.sequence ? -1 : 1);
    return slots.every(({ account, sequence }) => {
      const expected = next.get(account) ?? this.next(account);
      next.set(account, sequence + 1n);
      return sequence === expected;
    });
  }

  #tryExecute(entry: Entry): void {
    if (!this.#hasQuorum(entry) || !this.#isNext(entry.facts)) return;
    const facts = entry.carriers[0]?.facts ?? entry.facts;
    this.#decideUnit(facts, { type: "votes", by: byAuthor(entry.votes) });
    this.#drop(entry, "executed");
    this.#consume(facts.slots, facts.keys);
  }

  #decideUnit(facts: UnitFacts, lock: Lock): void {
    const { signed, slots } = facts;
    this.#ordered.push({
      item: { type: "unit", signed, forced: lock.type === "stops" },
      bytes: this.#context.ledger.encodeSigned(signed),
      slots,
      lock,
    });
  }

  /** The slots are used: everything else on them is dead, and what waited behind them may go. */
  #consume(slots: readonly Slot[], keys: readonly string[]): void {
    for (const [at, { account, sequence }] of slots.entries()) {
      const next = this.next(account) ?? 0n;
      if (sequence + 1n > next) this.#next.set(account, sequence + 1n);
      const key = keys[at] ?? slotKey(account, sequence);
      this.#changes.consumed.push({ account, sequence, key });
      this.#dropStops(key);
      for (const digest of this.#bySlot.get(key) ?? []) {
        const rival = this.#entries.get(digest);
        if (rival !== undefined) this.#drop(rival, "dead");
      }
      this.forced.slotConsumed(account, sequence);
    }
    for (const account of new Set(slots.map((slot) => slot.account))) {
      const key = slotKey(account, this.next(account) ?? 0n);
      for (const digest of [...(this.#bySlot.get(key) ?? [])].sort()) {
        const waiting = this.#entries.get(digest);
        if (waiting !== undefined) this.#tryExecute(waiting);
      }
    }
  }

  #settle(anchorRound: number): void {
    const keys = [...this.#stops.keys()].sort();
    for (let again = true; again;) {
      again = false;
      for (const key of keys) {
        const stop = this.#stops.get(key);
        if (stop === undefined || !this.#isSettled(key, stop)) continue;
        again = true;
        const { account, sequence } = stop;
        const forced = this.forced.on(account, sequence);
        const lock: Lock = { type: "stops", by: byAuthor(stop.by) };
        if (forced !== undefined && anchorRound < this.#boundOf(forced.facts)) {
          this.#decideUnit(forced.facts, lock);
          const entry = this.#entries.get(forced.facts.digest);
          if (entry === undefined) this.#changes.executed.push(forced.facts);
          else this.#drop(entry, "executed");
        } else {
          const slots = [{ account, sequence }];
          this.#ordered.push({
            item: { type: "void", account, sequence },
            bytes: undefined,
            slots,
            lock,
          });
        }
        this.#consume([stop], [key]);
      }
    }
  }

  /** Stopped by a quorum, next, and no unit on it has its vote quorum. */
  #isSettled(key: string, { account, sequence, by }: StopTally): boolean {
    if (!this.#isQuorum(by.keys()) || this.next(account) !== sequence) return false;
    return ![...(this.#bySlot.get(key) ?? [])].some((digest) => {
      const entry = this.#entries.get(digest);
      return entry !== undefined && this.#hasQuorum(entry);
    });
  }

  #forget(entry: Entry, below: number): void {
    if (entry.carriers.some(({ at }) => at.round < below)) {
      entry.carriers = entry.carriers.filter(({ at }) => at.round >= below);
    }
    for (const [author, round] of entry.votes) if (round < below) entry.votes.delete(author);
    if (entry.carriers.length === 0) this.#drop(entry, undefined);
  }

  #drop(entry: Entry, as: "executed" | "dead" | undefined): void {
    const { facts } = entry;
    this.#entries.delete(facts.digest);
    for (const key of facts.keys) {
      const units = this.#bySlot.get(key);
      units?.delete(facts.digest);
      if (units?.size === 0) this.#bySlot.delete(key);
    }
    if (as !== undefined) this.#changes[as].push(facts);
  }
}

function byAuthor(rounds: ReadonlyMap<number, number>): Lock["by"] {
  return [...rounds].sort(([a], [b]) => a - b).map(([author, round]) => ({ author, round }));
}

function publishedBytes({ bytes }: Decided): number {
  return bytes === undefined ? SETTLED_BYTES : bytes.length + UNIT_EXTRA_BYTES;
}
