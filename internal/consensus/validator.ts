/**
 * A validator as a pure state machine: inputs one at a time, effects in order. Everything it decides
 * follows from its inputs; clock, disk, keys and sockets are the caller's.
 */
import { equalBytes, idBytes, toHex } from "#internal/core/mod.ts";
import type { AccountId } from "#internal/core/mod.ts";
import type { LedgerState, Offence, SignedUnit } from "#internal/ledger/mod.ts";
import type {
  Accusation,
  CertificateClaim,
  Committee,
  CommitteeMember,
  Header,
  LaneCertificate,
  PulseCertificate,
  SessionConfig,
} from "#internal/proofs/mod.ts";
import { encodeStatement, STATEMENT_TAGS, unitStatementCodec } from "#internal/proofs/mod.ts";
import type { Block, CarriedUnit } from "./block.ts";
import { storedBlock } from "./block.ts";
import { certificateItem, certifyPulses } from "./certificates.ts";
import type { Answer, Effect, Input, UnitStanding, Validator } from "./contract.ts";
import type { ValidatorOptions, ValidatorStatus } from "./contract.ts";
import type { DagNode } from "./dag.ts";
import { EarlyBlocks } from "./early_blocks.ts";
import type { Intake } from "./intake.ts";
import type { Received, SentBlock, SharedUnit } from "./message.ts";
import { packBlocks, packUnits } from "./message.ts";
import type { UnitRecord } from "./local_view.ts";
import type { Parts } from "./parts.ts";
import { assemble, nextParts } from "./parts.ts";
import type { Draft } from "./producer.ts";
import { mayRestAt, resterOf } from "./resting.ts";
import { areAllIn, isLeaderIn } from "./round_wait.ts";
import type { Session } from "./session.ts";
import { MAX_UNCERTIFIED, submit, takeShared } from "./submissions.ts";
import { OWN } from "./unit_pool.ts";

/** Rounds for which an undecided unit keeps a validator busy after it was carried. */
const FRESH_ROUNDS = 64;
/** Rounds after which a unit that waits for its votes is carried again. */
const CARRY_AGAIN_ROUNDS = 32;

/** Rounds before a session's close in which nobody rests. */
const ALL_AT_CLOSE = 8;

/** Makes a validator, or a follower. */
export function createValidator(options: ValidatorOptions): Validator {
  return new Machine(assemble(options));
}

/** A block that is held with everything that peers need of it. */
function isWhole(node: DagNode | undefined): node is DagNode & SentBlock {
  return node?.bytes !== undefined && node.signature !== undefined;
}

class Machine implements Validator {
  readonly chain: string;
  #parts: Parts;
  /** Blocks of the session to come, once it is known. */
  readonly #early = new EarlyBlocks();
  #draft: Draft | undefined;
  /** An alarm stopped the signing, for good. */
  #halted: boolean;
  readonly #alarmed = new Set<string>();
  #wakeMs: number | undefined;
  #started = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.chain = parts.origin.chain;
    this.#halted = parts.session.view.own.isStale;
  }

  get self(): number | null {
    return this.#parts.session.self;
  }
  get #signs(): boolean {
    return this.#parts.producer !== undefined && !this.#halted;
  }

  step(input: Input): Effect[] {
    const effects: Effect[] = [];
    const { nowMs } = input;
    if (!this.#started) this.#start(nowMs, effects);
    switch (input.type) {
      case "tick":
        // A timer may fire early: what was asked for is asked for again.
        this.#wakeMs = undefined;
        break;
      case "message":
        this.#message(input.from, input.message, nowMs, effects);
        break;
      case "submit": {
        const { digest, answer } = this.#submit(input.signed, input.forced ?? false);
        if (answer.type !== "refused") this.#parts.pace.unit(nowMs);
        // Known to be signed, whatever the answer: another's block may name it.
        this.#hold(input.signed, OWN, nowMs, effects);
        if (this.#parts.queue.has(digest)) {
          const units = [this.#parts.ledger.encodeSigned(input.signed)];
          effects.push({ type: "send", to: "all", message: { type: "units", units } });
        }
        effects.push({ type: "answer", unit: digest, answer });
        break;
      }
      case "signed":
        this.#signed(input.digest, input.signature, nowMs, effects);
        break;
      case "load":
        this.#parts.pace.load(input.waiting, nowMs);
        break;
    }
    this.#advance(nowMs, effects);
    this.#produce(nowMs, effects);
    return effects;
  }

  #submit(signed: SignedUnit, forced: boolean): { digest: string; answer: Answer } {
    const { session: { view }, queue, ledger } = this.#parts;
    return submit(signed, forced, {
      view,
      queue,
      bytesOf: (unit) => ledger.encodeSigned(unit).length,
    });
  }

  /** The first step: peers may have missed the last own block of an earlier run. */
  #start(nowMs: number, effects: Effect[]): void {
    this.#started = true;
    this.#parts.pace.news(nowMs);
    const { producer, session: { view } } = this.#parts;
    if (producer !== undefined && view.own.isStale) {
      this.#alarm("stale-key", "there are blocks of this key that the store lacks", effects);
    }
    const resend = this.#parts.resend();
    if (resend !== undefined) effects.push(resend);
  }

  #message(from: number, message: Received, nowMs: number, effects: Effect[]): void {
    switch (message.type) {
      case "want":
        return this.#serve(from, message, effects);
      case "held":
        return this.#parts.sync.held(from, message.fromRound);
      case "blocks":
        return this.#blocks(from, message.blocks, nowMs, effects);
      case "units":
        return this.#share(from, message.units, nowMs, effects);
      case "end":
        return this.#parts.end.take(message.certificate);
      case "ask":
      case "part":
        // Snapshots are the caller's: `SnapshotShelf` and `SnapshotClient`.
        return;
    }
  }

  #blocks(from: number, blocks: readonly Block[], nowMs: number, effects: Effect[]): void {
    for (const block of blocks) {
      const { session } = block.header;
      if (
        session !== this.#parts.session.facts.session && this.committeeOf(session) !== undefined
      ) {
        this.#early.keep(block, from);
        continue;
      }
      this.#checkOwn(block, effects);
      this.#took(this.#parts.session.intake.receive(block, from), nowMs, effects);
    }
  }

  /**
   * Units of others' clients, to be carried and voted for without waiting for the others' blocks; and
   * what blocks wait for.
   */
  #share(from: number, units: readonly SharedUnit[], nowMs: number, effects: Effect[]): void {
    const { producer, session: { view }, pace } = this.#parts;
    for (const { signed } of units) {
      this.#hold(signed, from, nowMs, effects);
      const record = takeShared(signed, view);
      if (record !== undefined && producer?.offer(record) === true) pace.unit(nowMs);
    }
  }

  /** A unit whose authorization holds: blocks may have waited for it. */
  #hold(signed: SignedUnit, from: number, nowMs: number, effects: Effect[]): void {
    const { view, intake } = this.#parts.session;
    const form = view.pool.add(signed, from);
    if (intake.needsUnit(form)) this.#took(intake.unitsCame([form]), nowMs, effects);
  }

  /** A block of this key that the store does not know means the store is old or was lost. */
  #checkOwn(block: Block, effects: Effect[]): void {
    const { producer, ownIds, session } = this.#parts;
    if (block.header.author !== this.self || producer === undefined || ownIds.has(block.id)) return;
    if (block.header.session !== session.facts.session) return;
    // What lies that far back is not held any more, so it cannot be told apart by its id.
    if (block.header.round < session.dag.floor && block.header.round <= producer.lastRound) return;
    session.view.own.setStale();
    this.#alarm("stale-key", "a peer shows a block of this key that the store lacks", effects);
  }

  #alarm(code: "diverged" | "stale-key" | "equivocation", text: string, effects: Effect[]): void {
    if (code !== "equivocation") this.#halted = true;
    if (this.#alarmed.has(code + text)) return;
    this.#alarmed.add(code + text);
    effects.push({ type: "alarm", code, text });
  }

  #took({ accepted, refused }: Intake, nowMs: number, effects: Effect[]): void {
    const { producer, pace, kinds, session } = this.#parts;
    for (const { id, author, reason } of refused) {
      effects.push({ type: "refused", author, block: id, reason });
    }
    if (accepted.length === 0) return;
    const blocks = accepted.map(({ block, units }) => storedBlock(block, units));
    effects.push({ type: "store", blocks });
    for (const { node } of accepted) {
      producer?.accepted(node);
      const says = node.statements.some(({ kind }) => kinds.get(kind)?.idle !== true);
      if (says || node.units.length > 0) pace.news(nowMs);
    }
    for (const { author, offence, text } of session.intake.takeContradictions()) {
      if (!this.#accuse(author, offence)) continue;
      this.#alarm("equivocation", `validator ${author} ${text}`, effects);
    }
  }

  /** @returns whether it is news. */
  #accuse(author: number, offence: Offence): boolean {
    const { accused, session: { facts: { session, committee }, view } } = this.#parts;
    const { publicKey: key } = committee.members[author] as CommitteeMember;
    return accused.note(session, author, { key, offence }, view.own);
  }

  accusations(): readonly Accusation[] {
    return this.#parts.accused.list();
  }

  #serve(from: number, want: Extract<Received, { type: "want" }>, effects: Effect[]): void {
    const { dag, facts, view } = this.#parts.session;
    const known = want.units.map((form) => view.pool.bytesOf(form));
    const units = want.units.filter((_, i) => known[i] === undefined);
    for (const message of packUnits(known.flatMap((bytes) => bytes ?? []))) {
      effects.push({ type: "send", to: from, message });
    }
    if (want.session !== facts.session) {
      const { ids, fromRound, rounds } = want;
      effects.push({ type: "serve", to: from, request: { ids, fromRound, rounds, units } });
      const { session } = want;
      if (session < facts.session) effects.push({ type: "hand-over", to: from, session });
      return;
    }
    const held: DagNode[] = [];
    const ids: string[] = [];
    for (const id of want.ids) {
      const node = dag.get(id);
      if (!isWhole(node)) ids.push(id);
      else held.push(node);
    }
    const end = want.fromRound + want.rounds;
    let stored = want.fromRound;
    // Rounds of which a block is held without its bytes come from the store, the rest from here.
    for (let round = want.fromRound; round < end; round++) {
      const known = dag.at(round);
      if (round < dag.floor || !known.every(isWhole)) stored = round + 1;
    }
    for (let round = stored; round < end && round <= dag.top; round++) held.push(...dag.at(round));
    const rounds = stored - want.fromRound;
    if (ids.length > 0 || rounds > 0 || units.length > 0) {
      const request = { ids, fromRound: rounds > 0 ? want.fromRound : 0, rounds, units };
      effects.push({ type: "serve", to: from, request });
    }
    for (const message of packBlocks(held.filter(isWhole))) {
      effects.push({ type: "send", to: from, message });
    }
  }

  #signed(digest: Uint8Array, signature: Uint8Array, nowMs: number, effects: Effect[]): void {
    const draft = this.#draft;
    if (draft === undefined || !equalBytes(digest, idBytes(draft.block.id))) return;
    this.#draft = undefined;
    if (!this.#signs) return;
    const { session, producer, ownIds, sync, committer } = this.#parts;
    const block: Block = { ...draft.block, signature };
    ownIds.add(block.id);
    producer?.made(block);
    // What was forgotten since then, for want of room, is named all the same.
    for (const unit of draft.units) session.view.pool.add(unit.signed, OWN);
    const { units } = session.intake.addOwn(block, draft.parents);
    const rows = session.view.takeRows();
    effects.push({ type: "persist", block: storedBlock(block, units), rows });
    effects.push({ type: "send", to: "all", message: { type: "block", block } });
    if (!committer.isClosed) sync.moved(nowMs);
  }

  /** Commits, executes, certifies whatever has become possible. */
  #advance(nowMs: number, effects: Effect[]): void {
    const { session, committer, pace, sync, end } = this.#parts;
    for (let again = true; again;) {
      again = committer.advance(effects);
      if (!again) break;
      pace.committed();
      this.#took(session.intake.recheck(), nowMs, effects);
    }
    for (const unit of session.view.takeFinal()) effects.push({ type: "final", unit });
    certifyPulses(session.view.pulseVotes, effects);
    const diverged = end.certify(committer, effects) ?? session.view.pulseVotes.divergence();
    if (diverged !== undefined) {
      const text = `over a third of the stake signed another header for Pulse ${diverged}`;
      this.#alarm("diverged", text, effects);
    }
    const { isClosed, next, pulse } = committer;
    if (!isClosed) sync.moved(nowMs);
    if (isClosed && next !== undefined && session.view.pulseVotes.certified >= pulse) {
      this.#begin(next, nowMs, effects);
    }
  }

  /** The session's last Pulse is certified: the next session begins with what waited. */
  #begin(next: Session, nowMs: number, effects: Effect[]): void {
    const { session: { view, facts }, queue, producer, committer } = this.#parts;
    // Others may lack the own vote that would have been said next.
    const isSaid = view.own.votedPulse >= committer.pulse && this.#draft === undefined;
    const isMissed = producer !== undefined && !isSaid;
    const waiting = new Map<string, CarriedUnit>();
    for (const { digest, signed, forced } of queue.clear()) {
      // Another validator's block may have carried it: then it waits here and is executed.
      if (view.unit(digest)?.standing !== "executed") waiting.set(digest, { signed, forced });
    }
    for (const { facts: { digest, signed } } of view.unfinished()) {
      if (!waiting.has(digest)) waiting.set(digest, { signed, forced: false });
    }
    next.view.pool.inherit(view.pool);
    this.#parts = nextParts(this.#parts, next);
    this.#draft = undefined;
    this.#parts.pace.news(nowMs);
    effects.push({ type: "session", number: next.facts.session });
    if (isMissed) effects.push({ type: "hand-over", to: "all", session: facts.session });
    this.#parts.sync.begin(effects);
    for (const [unit, { signed, forced }] of waiting) {
      const { answer } = this.#submit(signed, forced);
      // What is refused for want of room may still come by another validator.
      const isOver = answer.type === "refused" && answer.code !== "busy";
      if (isOver) effects.push({ type: "dead", unit });
    }
    for (const { block, from } of this.#early.clear()) {
      if (block.header.session === facts.session + 1) {
        this.#message(from, { type: "blocks", blocks: [block] }, nowMs, effects);
      }
    }
    this.#advance(nowMs, effects);
  }

  /** Makes the next own block if it is time, asks for what is missing, says when to look again. */
  #produce(nowMs: number, effects: Effect[]): void {
    const { sync, pace, tuning } = this.#parts;
    const busy = this.#isBusy();
    const quietMs = busy ? tuning.leaderMaxMs : pace.idleMs(nowMs) + tuning.leaderMaxMs;
    let wakeMs = sync.ask(nowMs, quietMs, effects);
    if (this.#signs && this.#draft === undefined) {
      wakeMs = Math.min(wakeMs, this.#tryMake(nowMs, busy, effects));
    }
    if (wakeMs !== this.#wakeMs && Number.isFinite(wakeMs)) {
      this.#wakeMs = wakeMs;
      effects.push({ type: "wake", atMs: wakeMs });
    }
  }

  /** @returns when it may become possible, if it is not now. */
  #tryMake(nowMs: number, busy: boolean, effects: Effect[]): number {
    const { producer, pace, sync, session, committer } = this.#parts;
    if (producer === undefined) return Number.POSITIVE_INFINITY;
    const heldMs = producer.heldUntilMs(nowMs) ?? Number.POSITIVE_INFINITY;
    if (sync.isBehind(nowMs) || !this.#lastIsHeld()) return heldMs;
    const ready = producer.readyRound(nowMs);
    if (ready === undefined) return heldMs;
    pace.roundReady(ready.round, nowMs);
    const resting = this.#mayRest(ready.round - 1, nowMs);
    const leaderIn = isLeaderIn(ready, session, resting);
    const undecided = busy ? this.#undecided() : 0;
    const allIn = areAllIn(ready, session, resting);
    const rests = this.#rester(ready.round, nowMs) === this.self;
    const verdict = pace.decide({ nowMs, busy, undecided, leaderIn, allIn, rests });
    if (!verdict.go) return Math.min(heldMs, verdict.atMs);
    this.#carryAgain(ready.round);
    const stalled = session.view.pulseVotes.uncertifiedCount > MAX_UNCERTIFIED;
    this.#draft = producer.make(ready, nowMs, !stalled && !committer.isClosed);
    pace.blockMade(nowMs, !leaderIn);
    effects.push({ type: "sign", digest: idBytes(this.#draft.block.id) });
    return heldMs;
  }

  /** The own last block is a parent of the next: after a restart its own parents may be missing. */
  #lastIsHeld(): boolean {
    const { producer, session } = this.#parts;
    const last = producer?.last;
    return last === undefined || last.round < session.dag.floor ||
      session.dag.get(toHex(last.id)) !== undefined;
  }

  /** Whether rounds are worth leaving out. */
  #isRestful(round: number, nowMs: number): boolean {
    const { pace, session: { term } } = this.#parts;
    // Who is late with its vote for the session's last Pulse would have the others wait for a certificate.
    return pace.isCrowded(nowMs) && round < term.closeRound - ALL_AT_CLOSE;
  }

  /** Who is not waited for in a round. */
  #mayRest(round: number, nowMs: number): number | undefined {
    const { order, facts: { committee } } = this.#parts.session;
    if (!this.#isRestful(round, nowMs)) return undefined;
    return mayRestAt(round, { committee, leader: (at) => order.leader(at) });
  }

  /** Who leaves a round out. */
  #rester(round: number, nowMs: number): number | undefined {
    const { dag, order, facts: { committee, firstRound } } = this.#parts.session;
    if (!this.#isRestful(round, nowMs)) return undefined;
    return resterOf(round, {
      committee,
      firstRound,
      lastAnchor: order.lastAnchor,
      leader: (at) => order.leader(at),
      authorsAt: (at) => dag.authorsAt(at),
    });
  }

  #isBusy(): boolean {
    const { queue, producer, committer, session: { view, order, term } } = this.#parts;
    if (term.isEndingForChange || committer.isClosed) return true;
    if (view.pulseVotes.hasFull || order.lanes.hasOrdered) return true;
    if (queue.size > 0 || (producer?.offers ?? 0) > 0) return true;
    for (const record of view.open()) if (this.#isFresh(record)) return true;
    return false;
  }

  /** A block not long ago carries the unit. */
  #isFresh({ carriers }: UnitRecord): boolean {
    const { dag } = this.#parts.session;
    return carriers.some(({ round }) => round > dag.top - FRESH_ROUNDS);
  }

  /** Units of which Votes or Confirms are still to be said. */
  #undecided(): number {
    const { queue, producer, session: { view } } = this.#parts;
    let count = queue.size + (producer?.offers ?? 0);
    for (const record of view.open()) {
      // Others may carry what waits here too.
      const isQueued = queue.has(record.facts.digest);
      if (!record.final && !isQueued && this.#isFresh(record)) count++;
    }
    return count;
  }

  /** Units of this validator's clients whose carriers grow old are carried anew. */
  #carryAgain(round: number): void {
    const { queue, ledger, session: { view } } = this.#parts;
    for (const record of view.open()) {
      if (!record.submitted || record.carriedAt === 0) continue;
      if (record.carriedAt > round - CARRY_AGAIN_ROUNDS || view.own.hasVoted(record.facts)) {
        continue;
      }
      const { digest, signed } = record.facts;
      queue.push({ signed, digest, forced: false, bytes: ledger.encodeSigned(signed).length });
    }
  }

  wants(block: Block): boolean {
    const { session, sync } = this.#parts;
    if (!sync.isOfUse(block.header.round)) return false;
    const isEarly = block.header.session !== session.facts.session;
    if (isEarly && this.committeeOf(block.header.session) !== undefined) {
      return this.#early.hasRoomFor(block);
    }
    return session.intake.wants(block);
  }

  needsUnit(form: string): boolean {
    return this.#parts.session.intake.needsUnit(form);
  }

  endClaim(certificate: PulseCertificate): CertificateClaim | undefined {
    return this.#parts.end.claim(certificate);
  }

  status(): ValidatorStatus {
    const { session, committer, queue, producer } = this.#parts;
    const { epoch, epochEnd, sessionEnd } = session.term;
    const { header } = committer;
    return {
      round: producer === undefined ? session.dag.top : producer.lastRound,
      pulse: committer.pulse,
      certified: session.view.pulseVotes.certified,
      anchors: Number(header.anchorCount),
      session: session.facts.session,
      epoch: Number(epoch),
      epochEnd: epochEnd === null ? null : Number(epochEnd),
      sessionEnd: sessionEnd === null ? null : Number(sessionEnd),
      beacon: header.beacon,
      forcedPending: header.forcedPending,
      forcedOverdue: header.forcedOverdue,
      signs: this.#signs,
      pending: session.view.openCount,
      queuedBytes: queue.bytes,
      busy: this.#isBusy(),
      blocks: session.dag.size,
      waiting: session.intake.waitingCount,
    };
  }

  state(): LedgerState {
    return this.#parts.committer.state;
  }
  header(): Header {
    return this.#parts.committer.header;
  }
  session(): SessionConfig {
    return this.#parts.session.config;
  }
  committeeOf(session: number): Committee | undefined {
    const { session: now, committer: { next } } = this.#parts;
    return [now, next].find((one) => one?.facts.session === session)?.facts.committee;
  }

  nextSequence(account: AccountId): bigint {
    const { view } = this.#parts.session;
    let next = view.next(account);
    for (const { facts } of view.open()) {
      for (const slot of facts.slots) {
        if (slot.account === account && slot.sequence >= next) next = slot.sequence + 1n;
      }
    }
    return next;
  }

  reserved(account: AccountId): bigint {
    const { view } = this.#parts.session;
    let sum = 0n;
    for (const { facts, final, spend } of view.open()) {
      if (final && facts.slots.some((slot) => slot.account === account)) {
        sum += spend?.get(account) ?? 0n;
      }
    }
    return sum;
  }

  standing(unit: string): UnitStanding {
    const record = this.#parts.session.view.unit(unit);
    if (record === undefined) return "unknown";
    if (this.#parts.session.view.waitsForSession(record)) return "pending";
    if (record.standing !== "open") return record.standing;
    return record.final ? "final" : "pending";
  }

  laneCertificate(unit: string): LaneCertificate | undefined {
    const { view } = this.#parts.session;
    const record = view.unit(unit);
    const nodes = record === undefined ? undefined : view.certificateOf(record);
    if (nodes === undefined) return undefined;
    const statement = encodeStatement(STATEMENT_TAGS.confirm, unitStatementCodec, { unit });
    const items = nodes.flatMap((node) => certificateItem(node, statement) ?? [])
      .sort((a, b) => a.header.author - b.header.author);
    return { unit, items };
  }
}
