/** Makes a validator's own blocks: which round, which parents, what is carried and said. */
import { idBytes, toHex } from "#internal/core/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import type { BlockRef, Equivocation } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, pulseOfRound } from "#internal/proofs/mod.ts";
import type { Block, BlockCodec, CarriedUnit } from "./block.ts";
import {
  MAX_BLOCK_EVIDENCE,
  MAX_BLOCK_FORCED,
  MAX_BLOCK_UNIT_BYTES,
  MAX_BLOCK_UNITS,
} from "./block.ts";
import type { SessionFacts } from "./block_rules.ts";
import { LINK_ROUNDS } from "./block_rules.ts";
import type { Dag, DagNode } from "./dag.ts";
import { inHistory } from "./history.ts";
import type { LinkChain } from "./link_chain.ts";
import type { LocalView, UnitRecord } from "./local_view.ts";
import { refOf } from "./order.ts";
import type { StatementPlace } from "./history.ts";
import type { Statement } from "./statement.ts";
import type { AnyStatementKind } from "./statement_kind.ts";
import type { UnitQueue } from "./unit_queue.ts";

/** A block this far ahead of the own clock becomes no new parent yet, ms. */
const MAX_AHEAD_MS = 2000;
/** Late blocks of others that one block links. */
const MAX_LATE_PARENTS = 32;
/** Units of others' clients that wait to be carried. */
const MAX_OFFERED = 256;

/** What a producer works with. */
export interface ProducerContext {
  readonly self: number;
  readonly session: SessionFacts;
  readonly dag: Dag;
  readonly view: LocalView;
  readonly codec: BlockCodec;
  /** By ascending tag. */
  readonly kinds: readonly AnyStatementKind[];
  readonly chain: LinkChain;
  readonly queue: UnitQueue;
  readonly equivocations: ReadonlyMap<number, Equivocation>;
}

/** A block that waits for its signature. */
export interface Draft {
  readonly block: Block;
  /** What it names. */
  readonly units: readonly CarriedUnit[];
  readonly parents: readonly DagNode[];
}

/** A round that can be made now. */
export interface ReadyRound {
  readonly round: number;
  readonly before: readonly DagNode[];
}

/** No block carries it, not even an own one. */
function isOffered({ standing, carriers, carriedAt }: UnitRecord): boolean {
  return standing === "open" && carriers.length === 0 && carriedAt === 0;
}

/** Makes blocks of one validator. */
export class Producer {
  readonly #context: ProducerContext;
  /** Blocks of others that no own block descends from. */
  readonly #unlinked = new Set<DagNode>();
  readonly #shown = new Set<number>();
  /** Units of others' clients that no block carries yet. */
  readonly #offered = new Set<UnitRecord>();
  constructor(context: ProducerContext) {
    this.#context = context;
  }

  get self(): number {
    return this.#context.self;
  }
  /** The newest own block of the session. */
  get last(): BlockRef | undefined {
    const { view, self } = this.#context;
    const { last } = view.own;
    return last === undefined ? undefined : { round: last.round, author: self, id: last.id };
  }
  get lastRound(): number {
    return this.#context.view.own.last?.round ?? 0;
  }

  /** A block of another was accepted. */
  accepted(node: DagNode): void {
    if (node.author !== this.#context.self) this.#unlinked.add(node);
    for (const { first } of node.evidence) this.#shown.add(first.header.author);
  }
  /** A unit of another validator's client. False when there are too many. */
  offer(record: UnitRecord): boolean {
    if (this.#offered.size >= MAX_OFFERED) return false;
    this.#offered.add(record);
    return true;
  }
  /** Units that others' clients signed and no block carries yet. */
  get offers(): number {
    for (const record of this.#offered) if (!isOffered(record)) this.#offered.delete(record);
    return this.#offered.size;
  }
  /** Whether the unit waits to be carried here for another validator's client. */
  isOffered(digest: string): boolean {
    const record = this.#context.view.unit(digest);
    return record !== undefined && this.#offered.has(record);
  }

  /** Blocks are not held any more. */
  forgotten(nodes: readonly DagNode[]): void {
    for (const node of nodes) this.#unlinked.delete(node);
  }
  /** An own block is signed. */
  made({ header, id }: Block): void {
    const { round, timeMs } = header;
    this.#context.view.own.signed({ round, id: idBytes(id), timeMs });
  }

  /** The highest round above the last own block that has a quorum before it. */
  readyRound(nowMs: number): ReadyRound | undefined {
    const { session, dag } = this.#context;
    for (let round = dag.top + 1; round > this.lastRound; round--) {
      if (round <= session.firstRound) break;
      const before = this.#parentsAt(round - 1, nowMs);
      const mask = before.reduce((sum, { author }) => sum | (1 << author), 0);
      if (session.committee.isQuorum(mask)) return { round, before };
    }
    const { firstRound } = session;
    return this.lastRound < firstRound ? { round: firstRound, before: [] } : undefined;
  }

  /** When the first block that is ahead of the clock can become a parent. */
  heldUntilMs(nowMs: number): number | undefined {
    let first: number | undefined;
    for (const { timeMs } of this.#unlinked) {
      const atMs = Number(timeMs) - MAX_AHEAD_MS;
      if (atMs > nowMs && (first === undefined || atMs < first)) first = atMs;
    }
    return first;
  }

  /** One block an author: the own one, else the first that came. */
  #parentsAt(round: number, nowMs: number): DagNode[] {
    const { dag, self } = this.#context;
    const byAuthor = new Map<number, DagNode>();
    for (const node of dag.at(round)) {
      if (byAuthor.has(node.author) || this.#isAhead(node, nowMs)) continue;
      if (node.author === self && this.lastRound !== round) continue;
      byAuthor.set(node.author, node);
    }
    return [...byAuthor.values()].sort((a, b) => a.author - b.author);
  }

  #isAhead(node: DagNode, nowMs: number): boolean {
    return this.#unlinked.has(node) && Number(node.timeMs) > nowMs + MAX_AHEAD_MS;
  }

  /** Makes the block of a round. What its statements lock and stop is noted in the view. */
  make({ round, before }: ReadyRound, nowMs: number, carries: boolean): Draft {
    const { self, session, dag, view, codec, chain } = this.#context;
    const { refs, parents } = this.#parents(round, before, nowMs);
    const units = carries ? this.#units(round) : [];
    const place: StatementPlace = {
      round,
      author: self,
      history: dag.historyOf(parents),
      carries: new Set(units.map(({ signed }) => view.context.ledger.unitDigest(signed.unit))),
      votes: new Set(),
    };
    const statements = this.#statements(place);
    const evidence = this.#evidence();
    const lastMs = Number(view.own.last?.timeMs ?? 0n);
    const timeMs = BigInt(Math.max(Math.floor(nowMs), lastMs));
    const block = codec.make({
      version: FORMAT_VERSION,
      chain: session.chain,
      session: session.session,
      round,
      author: self,
      parents: refs,
      timeMs,
      link: chain.at(pulseOfRound(round)),
    }, {
      units: units.map(({ signed, forced }) => ({
        form: view.context.ledger.formOf(signed),
        forced,
      })),
      evidence,
      statements,
    });
    view.own.blockMade();
    for (const node of this.#unlinked) {
      if (inHistory(place.history, node)) this.#unlinked.delete(node);
    }
    return { block, units, parents };
  }

  #parents(
    round: number,
    before: readonly DagNode[],
    nowMs: number,
  ): { refs: BlockRef[]; parents: DagNode[] } {
    const { self, dag } = this.#context;
    const own = this.last;
    const parents: DagNode[] = [];
    const refs: BlockRef[] = [];
    if (own !== undefined) {
      refs.push(own);
      const node = dag.get(toHex(own.id));
      if (node !== undefined) parents.push(node);
    }
    for (const node of before) {
      if (node.author === self) continue;
      parents.push(node);
      refs.push(refOf(node));
    }
    const places = new Set(refs.map((ref) => `${ref.round}/${ref.author}`));
    let history = dag.historyOf(parents);
    const late = [...this.#unlinked]
      .filter((node) =>
        node.round < round && node.round >= round - LINK_ROUNDS && !this.#isAhead(node, nowMs)
      )
      .sort((a, b) => b.round - a.round || a.author - b.author);
    let linked = 0;
    for (const node of late) {
      const place = `${node.round}/${node.author}`;
      if (linked === MAX_LATE_PARENTS || places.has(place) || inHistory(history, node)) continue;
      places.add(place);
      parents.push(node);
      refs.push(refOf(node));
      history = dag.historyOf(parents);
      linked++;
    }
    return { refs, parents };
  }

  /** Those of the own clients, and what is known of others' that a block of this round can carry. */
  #units(round: number): CarriedUnit[] {
    const { queue, view } = this.#context;
    const taken = queue.take(
      { bytes: MAX_BLOCK_UNIT_BYTES, units: MAX_BLOCK_UNITS, forced: MAX_BLOCK_FORCED },
      ({ digest }) => {
        const record = view.unit(digest);
        if (record?.standing !== "open") return "drop";
        // Too late for this session: it waits for the next.
        return round < view.boundOf(record.facts) ? "take" : "leave";
      },
    );
    for (const { digest } of taken) {
      const record = view.unit(digest);
      if (record !== undefined) record.carriedAt = round;
    }
    const units = taken.map(({ signed, forced }) => ({ signed, forced }));
    const left = {
      bytes: MAX_BLOCK_UNIT_BYTES - taken.reduce((sum, { bytes }) => sum + bytes, 0),
      units: MAX_BLOCK_UNITS - taken.length,
    };
    return [...units, ...this.#alongside(round, left)];
  }

  /**
   * Units that others share or that their blocks of this very round carry. A block of it cannot have
   * those in its history, but it can carry them too, and so vote for them one round earlier.
   */
  #alongside(round: number, left: { bytes: number; units: number }): CarriedUnit[] {
    const { view } = this.#context;
    const found: CarriedUnit[] = [];
    const carry = (record: UnitRecord, signed: SignedUnit): void => {
      const size = view.context.ledger.encodeSigned(signed).length;
      if (round >= view.boundOf(record.facts) || size > left.bytes || left.units === 0) return;
      record.carriedAt = round;
      this.#offered.delete(record);
      found.push({ signed, forced: false });
      left.bytes -= size;
      left.units--;
    };
    for (const record of this.#offered) {
      // The view may have forgotten it, and know the unit anew from a block.
      if (!isOffered(record) || view.unit(record.facts.digest) !== record) {
        this.#offered.delete(record);
      } else carry(record, record.facts.signed);
    }
    for (const node of this.#unlinked) {
      if (node.round < round) continue;
      node.units.forEach(({ signed }, at) => {
        const record = view.unit(node.unitDigests[at] ?? "");
        if (record?.standing !== "open" || record.carriedAt > 0) return;
        if (record.carriers.some((carrier) => carrier.round < round)) return;
        carry(record, signed);
      });
    }
    return found;
  }

  #statements(place: StatementPlace): Statement[] {
    const { kinds, view } = this.#context;
    const statements: Statement[] = [];
    for (const kind of kinds) {
      for (const body of kind.propose?.(place, view) ?? []) {
        kind.enters?.(body, place);
        statements.push({ kind: kind.name, body });
      }
    }
    return statements;
  }

  #evidence(): Equivocation[] {
    const evidence: Equivocation[] = [];
    for (const [author, found] of this.#context.equivocations) {
      if (this.#shown.has(author) || evidence.length === MAX_BLOCK_EVIDENCE) continue;
      this.#shown.add(author);
      evidence.push(found);
    }
    return evidence;
  }
}
