/**
 * What to ask peers for: missing parents and units, whole rounds after an absence, news after a
 * silence.
 */
import type { Effect, ServeRequest } from "./contract.ts";
import type { MissingUnit } from "./intake.ts";
import { MAX_WANTED, MAX_WANTED_ROUNDS } from "./message.ts";
import type { Session } from "./session.ts";

/** Rounds of a new session that others may have made before it begins here. */
const FIRST_ROUNDS = 4;

/**
 * How long nothing may lead on, in units of the time after which it is asked for again, besides one
 * for each validator that can be asked, before a snapshot is taken.
 */
const OUTRUN_RETRIES = 4;

/** What a sync looks at. */
export interface SyncContext {
  readonly self: number | null;
  readonly retryMs: number;
  /** The newest own block for peers that may have missed it. */
  resend(): Effect | undefined;
}

/** What was done about a unit that a block waits for. */
interface Search {
  /** When it was first missed, or last asked for. */
  atMs: number;
  /** Who was asked for it. */
  readonly asked: Set<number>;
}

/** Asks for blocks and units, each of another peer when the answer does not come. */
export class Sync {
  readonly #session: Session;
  readonly #context: SyncContext;
  /** When each missing block was last asked for, and of whom. */
  readonly #asked = new Map<string, { atMs: number; peer: number }>();
  readonly #units = new Map<string, Search>();
  #span: { from: number; atMs: number } | undefined;
  #peer: number;
  #top = 0;
  /** When a round was last completed or asked for. */
  #movedMs = Number.NEGATIVE_INFINITY;
  /** When a round was last completed, or a snapshot asked for. */
  #ledOnMs = Number.NEGATIVE_INFINITY;
  /** The first round of which each peer holds the blocks, as it said since then. */
  readonly #heldFrom = new Map<number, number>();

  constructor(session: Session, context: SyncContext) {
    this.#session = session;
    this.#context = context;
    this.#peer = context.self ?? 0;
  }

  /** True when blocks wait that lie more than a round above all that is held. */
  isBehind(nowMs: number): boolean {
    const lowest = this.#session.intake.lowestWaiting();
    // A peer that names parents nobody has must not silence a validator for long.
    return lowest !== undefined && lowest.round > this.#session.dag.top + 1 &&
      nowMs - this.#movedMs < 4 * this.#context.retryMs;
  }

  /** Asks all peers for the session's first rounds: what came before it began here was dropped. */
  begin(effects: Effect[]): void {
    const { committee, firstRound } = this.#session.facts;
    for (let peer = 0; peer < committee.members.length; peer++) {
      if (peer === this.#context.self) continue;
      this.#want(peer, { fromRound: firstRound, rounds: FIRST_ROUNDS }, effects);
    }
  }

  /**
   * Notes progress. Rounds after a session's last Pulse are none: they order nothing, and whoever left the
   * session is to be asked, though others go on.
   */
  moved(nowMs: number): void {
    if (this.#session.dag.top === this.#top) return;
    this.#top = this.#session.dag.top;
    this.#movedMs = nowMs;
    this.#ledOnMs = nowMs;
    this.#heldFrom.clear();
  }

  /** A peer says that it holds the blocks from a round on only. */
  held(peer: number, fromRound: number): void {
    if (peer < this.#session.facts.committee.members.length) this.#heldFrom.set(peer, fromRound);
  }

  /**
   * False for blocks that cannot lead on from here: validators of over a third of the stake say that
   * they dropped those in between. To hold and verify them would only be in the way of a snapshot.
   */
  isOfUse(round: number): boolean {
    const { dag, facts } = this.#session;
    if (this.#heldFrom.size === 0 || round <= dag.top + MAX_WANTED_ROUNDS) return true;
    let beyond = 0;
    for (const [peer, from] of this.#heldFrom) if (from > dag.top + 1) beyond |= 1 << peer;
    return !facts.committee.hasHonest(beyond);
  }

  /**
   * Says that a snapshot is needed when nobody led on for as long as it takes to ask everybody, and
   * somebody holds the blocks only from a later round on. It is no harm if that is a lie: a snapshot
   * proves itself, and others' blocks would have led on.
   * @returns when to look again.
   */
  #askSnapshot(nowMs: number, effects: Effect[]): number {
    const { dag, facts } = this.#session;
    if (this.#ledOnMs === Number.NEGATIVE_INFINITY) this.#ledOnMs = nowMs;
    if (![...this.#heldFrom.values()].some((round) => round > dag.top + 1)) {
      return Number.POSITIVE_INFINITY;
    }
    const retries = facts.committee.members.length + OUTRUN_RETRIES;
    const dueMs = this.#ledOnMs + retries * this.#context.retryMs;
    if (nowMs < dueMs) return dueMs;
    this.#ledOnMs = nowMs;
    effects.push({ type: "outrun" });
    return nowMs + retries * this.#context.retryMs;
  }

  /**
   * Asks for what is missing.
   * @param quietMs how long the highest round may stay the same.
   * @returns when to ask again.
   */
  ask(nowMs: number, quietMs: number, effects: Effect[]): number {
    if (this.#movedMs === Number.NEGATIVE_INFINITY) this.#movedMs = nowMs;
    const atMs = Math.min(
      this.#askParents(nowMs, effects),
      this.#askUnits(nowMs, effects),
      this.#askSpan(nowMs, effects),
      this.#askSnapshot(nowMs, effects),
    );
    const silentUntil = this.#movedMs + quietMs + this.#context.retryMs;
    if (nowMs < silentUntil) return Math.min(atMs, silentUntil);
    this.#movedMs = nowMs;
    const resend = this.#context.resend();
    if (resend !== undefined) effects.push(resend);
    const fromRound = Math.max(this.#session.facts.firstRound, this.#session.dag.top - 1);
    this.#want(this.#nextPeer(), { fromRound, rounds: MAX_WANTED_ROUNDS }, effects);
    return Math.min(atMs, nowMs + quietMs + this.#context.retryMs);
  }

  #askParents(nowMs: number, effects: Effect[]): number {
    const missing = this.#session.intake.missing();
    for (const id of this.#asked.keys()) if (!missing.has(id)) this.#asked.delete(id);
    const byPeer = new Map<number, string[]>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [id, from] of missing) {
      const asked = this.#asked.get(id);
      if (asked !== undefined && nowMs < asked.atMs + this.#context.retryMs) {
        nextMs = Math.min(nextMs, asked.atMs + this.#context.retryMs);
        continue;
      }
      const peer = asked === undefined && from !== this.#context.self ? from : this.#nextPeer();
      this.#asked.set(id, { atMs: nowMs, peer });
      byPeer.set(peer, [...(byPeer.get(peer) ?? []), id]);
      nextMs = Math.min(nextMs, nowMs + this.#context.retryMs);
    }
    for (const [peer, ids] of byPeer) this.#want(peer, { ids: ids.slice(0, MAX_WANTED) }, effects);
    return nextMs;
  }

  /**
   * Units come by themselves a little before or after the blocks that name them, if those do; others
   * are asked for, as many at a time as one message names.
   */
  #askUnits(nowMs: number, effects: Effect[]): number {
    const { intake } = this.#session;
    for (const form of this.#units.keys()) if (!intake.needsUnit(form)) this.#units.delete(form);
    const { retryMs } = this.#context;
    const due: (readonly [search: Search, unit: MissingUnit])[] = [];
    let underWay = 0;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const unit of intake.missingUnits()) {
      const search = this.#units.get(unit.form) ?? { atMs: nowMs, asked: new Set<number>() };
      this.#units.set(unit.form, search);
      const waitMs = search.asked.size > 0 ? retryMs : unit.isLate ? 0 : retryMs / 2;
      if (nowMs < search.atMs + waitMs) {
        nextMs = Math.min(nextMs, search.atMs + waitMs);
        if (search.asked.size > 0) underWay++;
      } else due.push([search, unit]);
    }
    if (due.length === 0 || underWay > MAX_WANTED / 2) return nextMs;
    const next = this.#nextPeer();
    const byPeer = new Map<number, string[]>();
    for (const [search, { form, peers }] of due.slice(0, MAX_WANTED - underWay)) {
      // Who went on from the block has what it names; who sent it may keep that back.
      const peer = peers.findLast((one) => one !== this.#context.self && !search.asked.has(one)) ??
        next;
      search.atMs = nowMs;
      search.asked.add(peer);
      byPeer.set(peer, [...(byPeer.get(peer) ?? []), form]);
    }
    for (const [peer, units] of byPeer) this.#want(peer, { units }, effects);
    return Math.min(nextMs, nowMs + retryMs);
  }

  #askSpan(nowMs: number, effects: Effect[]): number {
    const { intake, dag, facts } = this.#session;
    const lowest = intake.lowestWaiting();
    if (lowest === undefined || lowest.round <= dag.top + 1) {
      this.#span = undefined;
      return Number.POSITIVE_INFINITY;
    }
    const from = Math.max(facts.firstRound, dag.top);
    const span = this.#span;
    if (span !== undefined && from < span.from + MAX_WANTED_ROUNDS / 2) {
      const againMs = span.atMs + this.#context.retryMs;
      if (nowMs < againMs) return againMs;
    }
    const peer = span === undefined ? lowest.from : this.#nextPeer();
    this.#span = { from, atMs: nowMs };
    this.#want(peer, { fromRound: from, rounds: MAX_WANTED_ROUNDS }, effects);
    return nowMs + this.#context.retryMs;
  }

  #want(peer: number, wanted: Partial<ServeRequest>, effects: Effect[]): void {
    const { session } = this.#session.facts;
    const nothing = { ids: [], fromRound: 0, rounds: 0, units: [] };
    const message = { type: "want" as const, session, ...nothing, ...wanted };
    effects.push({ type: "send", to: peer, message });
  }

  #nextPeer(): number {
    const count = this.#session.facts.committee.members.length;
    do this.#peer = (this.#peer + 1) % count; while (
      this.#peer === this.#context.self && count > 1
    );
    return this.#peer;
  }
}
