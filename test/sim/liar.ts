/**
 * One Byzantine validator. It holds blocks, order and certificates by the product's own parts, so
 * that its lies are as good as they can be: most of its blocks are valid, and only its conduct is
 * not. What it does is drawn from the seed and switched by the plan.
 */
import type {
  Block,
  Effect,
  Message,
  Reach,
  SharedUnit,
  ShownPulse,
  SnapshotAsk,
  Statement,
  Tuning,
} from "#internal/consensus/mod.ts";
import { encodeMessage, packBlocks, packUnits, SnapshotShelf } from "#internal/consensus/mod.ts";
import { idBytes } from "#internal/core/mod.ts";
import type { Ledger, LedgerState, SignedUnit } from "#internal/ledger/mod.ts";
import type { Genesis, SessionConfig, SessionStep } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, pulseOfRound } from "#internal/proofs/mod.ts";
import { certifyPulses } from "../../internal/consensus/certificates.ts";
import type { DagNode } from "../../internal/consensus/dag.ts";
import type { StatementPlace } from "../../internal/consensus/history.ts";
import type { Parts } from "../../internal/consensus/parts.ts";
import { assemble, nextParts } from "../../internal/consensus/parts.ts";
import { refOf } from "../../internal/consensus/order.ts";
import type { UnitRecord } from "../../internal/consensus/local_view.ts";
import { OWN } from "../../internal/consensus/unit_pool.ts";
import type { Habit } from "./plan.ts";
import type { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** What a liar is made with. */
export interface LiarOptions {
  readonly genesis: Genesis;
  readonly ledger: Ledger;
  readonly self: number;
  readonly chainSeed: Uint8Array;
  readonly tuning: Tuning;
  readonly reach: Reach;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly sign: (digest: Uint8Array) => Uint8Array;
  readonly send: (to: number, message: Message) => void;
  readonly sendBytes: (to: number, bytes: Uint8Array) => void;
  /** Every block that it signed, shown or not. */
  readonly signed: (block: Block) => void;
}

/** Least and most time between two looks at what could be said, ms. */
const LOOK_MS = [4, 30] as const;
/** Blocks of others that it remembers to send again. */
const KEPT_FRAMES = 64;

/** A validator that lies. */
export class Liar {
  readonly habits = new Set<Habit>();
  readonly #options: LiarOptions;
  #parts: Parts;
  #lastRound = 0;
  /** Units that clients gave it. */
  readonly #units = new Map<string, { signed: SignedUnit; forced: boolean }>();
  /** Own blocks that some peers have not got. */
  readonly #hidden: Block[] = [];
  readonly #frames: Uint8Array[] = [];
  /** Units that own blocks name, forged ones among them: canonical bytes by form. */
  readonly #named = new Map<string, Uint8Array>();
  #votedPulse = 0;
  /** Who alone may see what there is to see at a session's end, and the blocks that are shown to it alone. */
  #confidant: number;
  readonly #confided = new Set<string>();
  /** What it could show of snapshots. */
  readonly #pulses = new Map<number, { state: LedgerState; tail: Uint8Array }>();
  readonly #ends = new Map<number, { number: number; next: SessionConfig }>();
  readonly #steps = new Map<number, SessionStep>();
  #certified: ShownPulse | undefined;
  readonly #shelf = new SnapshotShelf({
    newest: () => this.#certified,
    steps: (session) => [...this.#steps].filter(([at]) => at >= session).map(([, step]) => step),
    leaves: () => [],
    keptRounds: 0,
  });

  constructor(options: LiarOptions) {
    this.#options = options;
    const { genesis, ledger, self, chainSeed, tuning, reach } = options;
    const key = genesis.validators[self]?.publicKey ?? null;
    this.#parts = assemble({ genesis, ledger, key, chainSeed, tuning, reach });
    this.#confidant = this.#others()[0] ?? 0;
    this.#look();
  }

  #others(): number[] {
    return [0, 1, 2, 3].filter((other) => other !== this.#options.self);
  }
  #look(): void {
    const { timeline, random } = this.#options;
    timeline.after(random.int(...LOOK_MS), () => {
      this.#advance();
      this.#act();
      this.#look();
    });
  }

  submit(signed: SignedUnit, forced: boolean): void {
    this.#units.set(this.#options.ledger.unitDigest(signed.unit), { signed, forced });
  }

  /** A frame arrived, however it came about. */
  heard(bytes: Uint8Array): void {
    if (this.#frames.length < KEPT_FRAMES) this.#frames.push(bytes);
    else this.#frames[this.#options.random.int(0, KEPT_FRAMES - 1)] = bytes;
  }
  receive(from: number, block: Block): void {
    const { header } = block;
    if (header.session !== this.#parts.session.facts.session) return;
    this.#parts.session.intake.receive(block, from);
  }
  /** Units arrived whose authorizations hold. */
  units(from: number, units: readonly SharedUnit[]): void {
    const { view, intake } = this.#parts.session;
    intake.unitsCame(units.map(({ signed }) => view.pool.add(signed, from)));
  }
  /** A session ended elsewhere; the certificate's signatures hold. */
  ended({ certificate }: Extract<Message, { type: "end" }>): void {
    this.#parts.end.take(certificate);
  }
  /** A peer asks for blocks and units: it gets what is shown to it, if anything. */
  wanted(
    from: number,
    { ids, fromRound, rounds, units }: Extract<Message, { type: "want" }>,
  ): void {
    const { random, send } = this.#options;
    if (this.habits.has("no-answers") && random.chance(0.8)) return;
    const { dag, view } = this.#parts.session;
    if (!this.habits.has("withhold-units")) {
      const known = units.flatMap((form) => view.pool.bytesOf(form) ?? []);
      for (const message of packUnits(known)) send(from, message);
    }
    const all: DagNode[] = ids.flatMap((id) => dag.get(id) ?? []);
    for (let round = fromRound; round < fromRound + rounds; round++) all.push(...dag.at(round));
    const nodes = all.filter(({ id }) => from === this.#confidant || !this.#confided.has(id));
    const sent = nodes.flatMap(({ bytes, signature }) =>
      bytes && signature ? [{ bytes, signature }] : []
    );
    for (const message of packBlocks(sent)) send(from, message);
  }

  /** A peer asks for a part of a snapshot: it gets one with something changed in it. */
  asked(from: number, ask: SnapshotAsk): void {
    const { random, sendBytes, timeline } = this.#options;
    const part = this.#shelf.answer(from, ask, timeline.nowMs);
    if (part === undefined || !this.habits.has("false-snapshots")) return;
    const bytes = encodeMessage({ type: "part", ...part });
    for (let flips = random.int(0, 2); flips > 0; flips--) {
      const at = random.int(1, bytes.length - 1);
      bytes[at] = (bytes[at] as number) ^ (1 << random.int(0, 7));
    }
    sendBytes(from, bytes);
  }

  /** Orders and executes like anybody else, to know what there is to lie about. */
  #advance(): void {
    const effects: Effect[] = [];
    const { session, committer, sync } = this.#parts;
    while (committer.advance(effects)) session.intake.recheck();
    certifyPulses(session.view.pulseVotes, effects);
    this.#parts.end.certify(committer, effects);
    session.view.takeFinal();
    session.view.takeRows();
    sync.moved(this.#options.timeline.nowMs);
    const quietMs = this.#parts.tuning.leaderMaxMs;
    sync.ask(this.#options.timeline.nowMs, quietMs, effects);
    for (const effect of effects) {
      this.#noteForSnapshots(effect);
      if (effect.type !== "send" || effect.message.type !== "want") continue;
      if (effect.to !== "all" && effect.to !== this.#options.self) {
        this.#options.send(effect.to, effect.message);
      }
    }
    const { isClosed, next, pulse } = committer;
    // It goes on making rounds of the old one, which says nothing, with whoever is left there.
    if (this.habits.has("stay-behind")) return;
    if (isClosed && next !== undefined && session.view.pulseVotes.certified >= pulse) {
      this.#parts = nextParts(this.#parts, next);
      this.#confidant = this.#options.random.pick(this.#others());
      this.#hidden.length = 0;
    }
  }

  #noteForSnapshots(effect: Effect): void {
    if (effect.type === "pulse") {
      const { number, state, tail, header: { session }, nextSession } = effect;
      this.#pulses.set(number, { state, tail });
      if (nextSession !== null) this.#ends.set(session, { number, next: nextSession });
    }
    if (effect.type !== "certified") return;
    const { number, certificate } = effect;
    const pulse = this.#pulses.get(number);
    if (pulse !== undefined) this.#certified = { certificate, ...pulse };
    for (const known of this.#pulses.keys()) if (known <= number) this.#pulses.delete(known);
    for (const [session, end] of this.#ends) {
      if (end.number === number) this.#steps.set(session, { certificate, next: end.next });
    }
    this.#shelf.executed(number);
  }

  #act(): void {
    const { random } = this.#options;
    // It was slashed, and what it signs now is nobody's block.
    if (this.#parts.session.self === null) return;
    const { dag } = this.#parts.session;
    const round = this.#readyRound();
    if (round !== undefined && round > this.#lastRound) {
      this.#lastRound = round;
      if (this.#mayConfide) return this.#confide(round);
      const count = this.habits.has("two-blocks") && random.chance(0.6) ? 2 : 1;
      const blocks = Array.from({ length: count }, () => this.#make(round))
        .flatMap((block) => block ?? []);
      this.#spread(blocks);
    } else if (this.habits.has("two-blocks") && random.chance(0.1) && this.#lastRound > 1) {
      // Long after the others made theirs: another block of an old round.
      const old = this.#make(Math.max(dag.floor + 1, this.#lastRound - random.int(0, 4)));
      if (old !== undefined) this.#spread([old]);
    }
    if (this.#hidden.length > 0 && random.chance(this.habits.has("withhold") ? 0.04 : 0.5)) {
      const block = this.#hidden.shift();
      if (block !== undefined) { for (const to of this.#others()) this.#show(to, block); }
    }
    if (this.habits.has("garbage") && random.chance(0.3)) this.#garbage();
    if (this.habits.has("replay") && random.chance(0.3) && this.#frames.length > 0) {
      this.#options.sendBytes(random.pick(this.#others()), random.pick(this.#frames));
    }
  }

  /** The session's last Pulse is executed, and nobody has the own vote for it. */
  get #mayConfide(): boolean {
    const { isClosed, pulse } = this.#parts.committer;
    return this.habits.has("last-vote-to-one") && isClosed && this.#votedPulse < pulse;
  }

  /** What decides the session's last anchor goes to one validator too. */
  get #isAtClose(): boolean {
    return this.habits.has("close-to-one") &&
      this.#lastRound >= this.#parts.session.term.closeRound - 1;
  }

  /** Says it to one validator; the others get two blocks of that round that do not, so they want no third. */
  #confide(round: number): void {
    const twins = [1, 2].map((aheadMs) => this.#make(round, { votes: false, aheadMs }));
    const block = this.#make(round);
    if (block === undefined) return;
    this.#confided.add(block.id);
    this.#show(this.#confidant, block);
    for (const to of this.#others()) {
      if (to !== this.#confidant) { for (const twin of twins) if (twin) this.#show(to, twin); }
    }
  }

  /** Shows each block to some peers; an honest-looking one to all. */
  #spread(blocks: readonly Block[]): void {
    const { random } = this.#options;
    if (this.#isAtClose && random.chance(0.7)) {
      for (const block of blocks) {
        this.#confided.add(block.id);
        this.#show(this.#confidant, block);
      }
      return;
    }
    const others = random.shuffled(this.#others());
    const [only] = blocks;
    if (blocks.length === 1 && only !== undefined) {
      const shown = this.habits.has("withhold") && random.chance(0.6)
        ? others.slice(0, random.int(0, 2))
        : others;
      for (const to of shown) this.#show(to, only);
      if (shown.length < others.length) this.#hidden.push(only);
      return;
    }
    others.forEach((to, i) => {
      const block = blocks[i % blocks.length];
      if (block !== undefined) this.#show(to, block);
    });
    this.#hidden.push(...blocks);
  }
  /** What it names comes before it, if the peer is to have that. */
  #show(to: number, block: Block): void {
    const { random, send } = this.#options;
    const isKept = this.habits.has("withhold-units") && random.chance(0.6);
    const units = block.body.units.flatMap(({ form }) => this.#named.get(form) ?? []);
    if (!isKept) { for (const message of packUnits(units)) send(to, message); }
    send(to, { type: "block", block });
  }

  #garbage(): void {
    const { random, sendBytes } = this.#options;
    const to = random.pick(this.#others());
    const frame = this.#frames.length > 0 && random.chance(0.7)
      ? random.pick(this.#frames).slice()
      : random.bytes(random.int(0, 300));
    for (let flips = random.int(1, 3); flips > 0 && frame.length > 0; flips--) {
      const at = random.int(0, frame.length - 1);
      frame[at] = (frame[at] as number) ^ (1 << random.int(0, 7));
    }
    sendBytes(to, random.chance(0.2) ? frame.slice(0, random.int(0, frame.length)) : frame);
  }

  #readyRound(): number | undefined {
    const { dag, facts } = this.#parts.session;
    for (let round = dag.top + 1; round > this.#lastRound; round--) {
      if (round <= facts.firstRound) return facts.firstRound;
      if (facts.committee.isQuorum(dag.authorsAt(round - 1))) return round;
    }
    return undefined;
  }

  /** Parents: any quorum of the round before, own ones as it likes, and some of what was late. */
  #parents(round: number): DagNode[] | undefined {
    const { random, self } = this.#options;
    const { dag, facts } = this.#parts.session;
    if (round <= facts.firstRound) return [];
    const before = new Map<number, DagNode>();
    const shown = dag.at(round - 1).filter(({ id }) => !this.#confided.has(id));
    for (const node of random.shuffled(shown)) before.set(node.author, node);
    const own = before.get(self) ?? this.#anyOwn(round);
    before.delete(self);
    const mask = (nodes: readonly DagNode[]): number =>
      nodes.reduce(
        (sum, { author }) => sum | (1 << author),
        own?.round === round - 1 ? 1 << self : 0,
      );
    let chosen = random.shuffled([...before.values()]);
    if (random.chance(0.5) && facts.committee.isQuorum(mask(chosen.slice(1)))) {
      chosen = chosen.slice(1);
    }
    if (!facts.committee.isQuorum(mask(chosen))) return undefined;
    const parents = own === undefined ? chosen : [own, ...chosen];
    if (round > 2 && random.chance(0.5)) {
      const late = dag.at(round - random.int(2, Math.min(6, round - 1)));
      for (const node of late) {
        const place = (other: DagNode): boolean =>
          other.author === node.author && other.round === node.round;
        if (node.author !== self && !parents.some(place)) parents.push(node);
      }
    }
    return parents;
  }
  #anyOwn(round: number): DagNode | undefined {
    const { random, self } = this.#options;
    const { dag, facts } = this.#parts.session;
    for (let back = 1; back < 8 && round - back >= facts.firstRound; back++) {
      const own = dag.at(round - back)
        .filter(({ author, id }) => author === self && !this.#confided.has(id));
      if (own.length > 0) return random.pick(own);
    }
    return undefined;
  }

  #make(round: number, { votes = true, aheadMs = 0 } = {}): Block | undefined {
    const { random, self, sign, ledger, timeline } = this.#options;
    const { session: { dag, facts, view, intake }, codec, links } = this.#parts;
    const parents = this.#parents(round);
    if (parents === undefined || links === undefined || round < facts.firstRound) return undefined;
    const units = this.#carried();
    const place: StatementPlace = {
      round,
      author: self,
      history: dag.historyOf(parents),
      carries: new Set(units.map(({ signed }) => ledger.unitDigest(signed.unit))),
      votes: new Set(),
    };
    for (const { signed } of units) {
      view.intern(signed);
      this.#named.set(ledger.formOf(signed), ledger.encodeSigned(signed));
    }
    const offMs = this.habits.has("wrong-time") ? random.int(-5000, 5000) : 0;
    const link = links.at(pulseOfRound(round));
    const isStale = this.habits.has("stale-session") && random.chance(0.3);
    const block = codec.make({
      version: FORMAT_VERSION,
      chain: facts.chain,
      session: isStale ? Math.max(0, facts.session + random.pick([-1, 1, 2])) : facts.session,
      round,
      author: self,
      parents: parents.map(refOf),
      timeMs: BigInt(Math.max(0, Math.floor(timeline.nowMs + offMs + aheadMs))),
      link: random.chance(0.9) ? link : { value: random.bytes(32), next: link.next },
    }, {
      units: units.map(({ signed, forced }) => ({ form: ledger.formOf(signed), forced })),
      evidence: [],
      statements: this.#statements(place, votes),
    });
    const signed: Block = { ...block, signature: sign(idBytes(block.id)) };
    const isForged = units.some(({ signed: { authorization } }) =>
      authorization.signatures.some(({ signature }) => signature.every((byte) => byte === 0))
    );
    if (dag.get(signed.id) === undefined && !isForged && !isStale) {
      for (const unit of units) view.pool.add(unit.signed, OWN);
      intake.addOwn(signed, parents);
      this.#options.signed(signed);
    }
    return signed;
  }

  #carried(): { signed: SignedUnit; forced: boolean }[] {
    const { random } = this.#options;
    const units = [...this.#units.values()].filter(() => random.chance(0.5)).slice(0, 8);
    if (!this.habits.has("forge") || !random.chance(0.3)) return units;
    return units.map(({ signed, forced }) => ({
      signed: {
        ...signed,
        unit: { ...signed.unit, validUntil: signed.unit.validUntil + 1n },
        authorization: {
          ...signed.authorization,
          signatures: [{ key: 0, signature: new Uint8Array(32) }],
        },
      },
      forced,
    }));
  }

  /** Everything that validity lets it say, whatever it said before. */
  #statements(place: StatementPlace, votes: boolean): Statement[] {
    const { random } = this.#options;
    const { view } = this.#parts.session;
    const statements: Statement[] = [];
    const all = this.habits.has("vote-all");
    const records = [...view.open()];
    for (const record of records) {
      if (!view.isCarried(record, place) || !random.chance(all ? 0.8 : 0.3)) continue;
      place.votes.add(record.facts.digest);
      statements.push({ kind: "vote", body: { unit: record.facts.digest } });
    }
    for (const record of records) {
      if (!random.chance(0.8) || !view.hasVoteQuorum(record, place)) continue;
      statements.push({ kind: "confirm", body: { unit: record.facts.digest } });
    }
    if (this.habits.has("stop-at-will")) statements.push(...this.#stops(records, place));
    if (votes) statements.push(...this.#pulseVotes());
    return statements;
  }

  #stops(records: readonly UnitRecord[], place: StatementPlace): Statement[] {
    const { kinds, session: { view } } = this.#parts;
    const stop = kinds.get("stop");
    const stops = new Map<string, Statement>();
    for (const record of records) {
      record.facts.slots.forEach(({ account, sequence }, i) => {
        const key = record.facts.keys[i] ?? "";
        if (stops.has(key) || !this.#options.random.chance(0.3)) return;
        for (const named of [null, ...[...view.on(key)].map(({ facts }) => facts.digest)]) {
          const body = { account, sequence, named };
          if (stop?.fault?.(body, place, view) !== undefined) continue;
          stops.set(key, { kind: "stop", body });
          break;
        }
      });
    }
    return [...stops.values()];
  }

  #pulseVotes(): Statement[] {
    const { random } = this.#options;
    const { pulseVotes } = this.#parts.session.view;
    const votes: Statement[] = [];
    for (const [pulse, { digest }] of pulseVotes.uncertified().slice(0, 16)) {
      const isLie = this.habits.has("wrong-roots") && random.chance(0.6);
      if (pulse <= this.#votedPulse && !isLie) continue;
      this.#votedPulse = Math.max(pulse, this.#votedPulse);
      const header = isLie ? digest.map((byte) => byte ^ 1) : digest;
      votes.push({ kind: "pulse_vote", body: { pulse: BigInt(pulse), header } });
    }
    return votes;
  }
}
