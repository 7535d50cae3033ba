/**
 * Takes blocks into the graph: a block waits until its parents are held and then until the units that
 * it names are, is checked against its history, and then brings its units and statements into the
 * view. Nothing a peer sends throws here.
 */
import { toHex } from "#internal/core/mod.ts";
import type { BlockRef, Equivocation, SignedHeader } from "#internal/proofs/mod.ts";
import { offenceOf } from "#internal/proofs/mod.ts";
import type { Block } from "./block.ts";
import { MAX_BLOCK_UNIT_BYTES } from "./block.ts";
import type { SessionFacts } from "./block_rules.ts";
import type { Contradiction } from "./contradictions.ts";
import { contradictionIn } from "./contradictions.ts";
import { enterStatements, evidenceFault, headerFault, statementsFault } from "./block_rules.ts";
import type { Dag, DagNode } from "./dag.ts";
import type { LocalView, UnitRecord } from "./local_view.ts";
import type { StatementPlace } from "./history.ts";
import type { StoredUnit } from "./records.ts";
import type { AnyStatementKind } from "./statement_kind.ts";
import type { PooledUnit } from "./unit_pool.ts";

/** Blocks that wait for parents or units; beyond it the highest rounds are dropped. */
const MAX_WAITING = 2048;
/** Bytes of them. */
const MAX_WAITING_BYTES = 64 << 20;
/** Blocks of one author and round that are taken in; more only as parents of others' blocks. */
const MAX_SAME_PLACE = 2;
/** Ids of refused blocks that are remembered. */
const MAX_REFUSED = 4096;

/** A block that breaks a rule, or cannot be judged here yet. */
export interface Refusal {
  readonly id: string;
  /** Who signed it; it may have come by others. */
  readonly author: number;
  readonly reason: string;
}

/** A block that was taken in. */
export interface Accepted {
  readonly node: DagNode;
  readonly block: Block;
  /** What a store is to keep with it. */
  readonly units: readonly StoredUnit[];
}

/** What came of received blocks or units. */
export interface Intake {
  /** Blocks taken in, parents before children. */
  readonly accepted: readonly Accepted[];
  readonly refused: readonly Refusal[];
}

/** The same while it grows. */
interface Growing {
  readonly accepted: Accepted[];
  readonly refused: Refusal[];
}

const nothing = (): Growing => ({ accepted: [], refused: [] });

/** A block that waits for parents, or, once they are all here, for units. */
interface Waiting {
  readonly block: Block;
  readonly missing: Set<string>;
  readonly units: Set<string>;
  readonly from: number;
}

/** Where a block stands, all that it names being here. */
interface Placed {
  readonly units: readonly PooledUnit[];
  readonly parents: readonly DagNode[];
  readonly place: StatementPlace;
}

/** A unit that blocks wait for. */
export interface MissingUnit {
  readonly form: string;
  /**
   * Who has it, being honest: who sent the blocks, and then who sent blocks that name those as
   * parents.
   */
  readonly peers: readonly number[];
  /** A block was sent by another than its author: it was asked for, and its units do not come. */
  readonly isLate: boolean;
}

/** What an intake works on. */
export interface IntakeContext {
  readonly session: SessionFacts;
  readonly dag: Dag;
  readonly view: LocalView;
  readonly kinds: ReadonlyMap<string, AnyStatementKind>;
}

/** The way of blocks into one validator's graph. */
export class BlockIntake {
  readonly #context: IntakeContext;
  readonly #waiting = new Map<string, Waiting>();
  readonly #children = new Map<string, Set<string>>();
  /** Blocks that wait for a unit, by its form. */
  readonly #carriers = new Map<string, Set<string>>();
  /** Refused blocks, with the newest anchor then: a later anchor may make them acceptable. */
  readonly #refused = new Map<string, number>();
  #waitingBytes = 0;
  /** Two headers of one place, by author; the first found is kept. */
  readonly equivocations = new Map<number, Equivocation>();
  /** Whose blocks, or what they say, were found to contradict each other. */
  readonly #contradicted = new Set<number>();
  #contradictions: Contradiction[] = [];

  constructor(context: IntakeContext) {
    this.#context = context;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** False for a block that is known, refused or too old to matter. */
  wants({ id, header }: Block): boolean {
    const { dag, view } = this.#context;
    return header.session === this.#context.session.session && dag.get(id) === undefined &&
      !this.#waiting.has(id) && header.round >= dag.floor &&
      this.#refused.get(id) !== view.order.lastAnchor &&
      (this.#children.has(id) || this.#atPlace(header) < MAX_SAME_PLACE);
  }

  /** Blocks held of one author and round: an equivocator could make any number. */
  #atPlace({ round, author }: Block["header"]): number {
    return this.#context.dag.at(round).filter((node) => node.author === author).length;
  }

  /** Takes in a block and whatever waited for it. */
  receive(block: Block, from: number): Intake {
    const out = nothing();
    if (!this.wants(block)) return out;
    const { session } = this.#context;
    const fault = headerFault(block.header, session) ?? evidenceFault(block.body.evidence, session);
    if (fault === undefined) this.#enter(block, from, out);
    else this.#refuse(block, fault, out);
    return out;
  }

  /** Units came into the pool: takes in the blocks that waited for them alone. */
  unitsCame(forms: Iterable<string>): Intake {
    const out = nothing();
    for (const form of forms) {
      for (const id of this.#carriers.get(form) ?? []) {
        const waiting = this.#waiting.get(id);
        waiting?.units.delete(form);
        if (waiting === undefined || waiting.units.size > 0) continue;
        this.#unwait(id);
        this.#enter(waiting.block, waiting.from, out);
      }
      this.#carriers.delete(form);
    }
    return out;
  }

  /** After an anchor: parents that can never be ordered any more are not waited for. */
  recheck(): Intake {
    const out = nothing();
    for (const [id, waiting] of this.#waiting) {
      if (waiting.block.header.round < this.#context.dag.floor) {
        this.#unwait(id);
      } else if (
        waiting.units.size === 0 &&
        waiting.block.header.parents.every((ref) => !this.#isMissing(ref))
      ) {
        this.#unwait(id);
        this.#enter(waiting.block, waiting.from, out);
      }
    }
    return out;
  }

  /** Ids of parents that are not here, not even waiting, each with the peer that named it last. */
  missing(): Map<string, number> {
    const wanted = new Map<string, number>();
    for (const { missing, from } of this.#waiting.values()) {
      for (const id of missing) if (!this.#waiting.has(id)) wanted.set(id, from);
    }
    return wanted;
  }

  /** Whether a block whose parents are held waits for the unit. */
  needsUnit(form: string): boolean {
    return this.#carriers.has(form);
  }

  /**
   * The units that blocks wait for whose parents are held, in the order they came.
   */
  *missingUnits(): Iterable<MissingUnit> {
    for (const [form, carriers] of this.#carriers) {
      const peers: number[] = [];
      let isLate = false;
      for (const id of carriers) {
        for (const one of [id, ...this.#children.get(id) ?? []]) {
          const waiting = this.#waiting.get(one);
          if (waiting === undefined) continue;
          peers.push(waiting.from);
          isLate ||= waiting.from !== waiting.block.header.author;
        }
      }
      yield { form, peers, isLate };
    }
  }

  /** The lowest round of a waiting block, and the peer that sent it. */
  lowestWaiting(): { readonly round: number; readonly from: number } | undefined {
    let lowest: { round: number; from: number } | undefined;
    for (const { block, from } of this.#waiting.values()) {
      if (lowest === undefined || block.header.round < lowest.round) {
        lowest = { round: block.header.round, from };
      }
    }
    return lowest;
  }

  /**
   * Puts a block that was accepted by an earlier run back, without its history checks. Its units are
   * in the pool.
   */
  restore(block: Block): DagNode | undefined {
    const { dag } = this.#context;
    if (dag.get(block.id) !== undefined || block.header.round < dag.floor) return undefined;
    if (block.header.parents.some((ref) => this.#isMissing(ref))) return undefined;
    const parents = this.#heldParents(block.header.parents) ?? [];
    return this.#add(block, this.#place(block, parents), true).node;
  }

  /** Adds an own block that was just signed. Its units are in the pool. */
  addOwn(block: Block, parents: readonly DagNode[]): Accepted {
    return this.#add(block, this.#place(block, parents));
  }

  /** Rounds below this can never be ordered any more: what is missing there is not waited for. */
  get #waivedBelow(): number {
    return this.#context.view.order.lastAnchor - this.#context.view.reach.horizonRounds;
  }

  #isMissing(ref: BlockRef): boolean {
    return ref.round >= this.#waivedBelow && this.#context.dag.get(toHex(ref.id)) === undefined;
  }

  #enter(first: Block, from: number, out: Growing): void {
    const ready = [first];
    for (let block = ready.pop(); block !== undefined; block = ready.pop()) {
      const missing = block.header.parents.filter((ref) => this.#isMissing(ref));
      if (missing.length > 0) {
        this.#wait(block, { parents: missing.map(({ id }) => toHex(id)), units: [] }, from);
        continue;
      }
      const { pool } = this.#context.view;
      const units = block.body.units.flatMap(({ form }) => pool.has(form) ? [] : [form]);
      if (units.length > 0) {
        this.#wait(block, { parents: [], units }, from);
        continue;
      }
      const accepted = this.#accept(block, out);
      if (accepted === undefined) continue;
      out.accepted.push(accepted);
      for (const id of this.#children.get(block.id) ?? []) {
        const child = this.#waiting.get(id);
        child?.missing.delete(block.id);
        if (child !== undefined && child.missing.size === 0) {
          this.#unwait(id);
          ready.push(child.block);
        }
      }
      this.#children.delete(block.id);
    }
  }

  #accept(block: Block, out: Growing): Accepted | undefined {
    const { view, kinds } = this.#context;
    const parents = this.#heldParents(block.header.parents);
    if (parents === undefined) {
      return this.#refuse(block, "it names a parent by a wrong place", out);
    }
    const placed = this.#place(block, parents);
    const unitsFault = faultOfUnits(placed.units);
    if (unitsFault !== undefined) return this.#refuse(block, unitsFault, out);
    const { place, units } = placed;
    for (const unit of units) this.#recordOf(unit);
    enterStatements(block.body, place, kinds);
    // Below this, blocks of the history may be forgotten here: what cannot be checked is let pass,
    // since a Byzantine statement alone moves nothing.
    if (block.header.round >= this.#waivedBelow + view.reach.spanRounds) {
      const fault = statementsFault(block.body, place, kinds, view);
      if (fault !== undefined) return this.#refuse(block, fault, out);
    }
    return this.#add(block, placed);
  }

  /** The units that a block names, all of which are in the pool. */
  #heldUnits({ body, id }: Block): PooledUnit[] {
    return body.units.map(({ form }) => {
      const unit = this.#context.view.pool.get(form);
      if (unit === undefined) {
        throw new RangeError(`Cannot place block ${id}: it lacks unit ${form}`);
      }
      return unit;
    });
  }

  #recordOf({ signed, digest }: PooledUnit): UnitRecord {
    const { view } = this.#context;
    // Of a decided unit the view still holds what is to be known.
    const record = signed === undefined ? view.unit(digest) : view.intern(signed);
    if (record === undefined) throw new RangeError(`Cannot place unit ${digest}: it is forgotten`);
    return record;
  }

  #heldParents(refs: readonly BlockRef[]): DagNode[] | undefined {
    const parents: DagNode[] = [];
    for (const ref of refs) {
      const node = this.#context.dag.get(toHex(ref.id));
      if (node === undefined) continue;
      if (node.round !== ref.round || node.author !== ref.author) return undefined;
      parents.push(node);
    }
    return parents;
  }

  #place(block: Block, parents: readonly DagNode[]): Placed {
    const { round, author } = block.header;
    const units = this.#heldUnits(block);
    const place: StatementPlace = {
      round,
      author,
      history: this.#context.dag.historyOf(parents),
      carries: new Set(units.map(({ digest }) => digest)),
      votes: new Set(),
    };
    return { units, parents, place };
  }

  #add(block: Block, { units, parents, place }: Placed, isStored = false): Accepted {
    const { dag, view, kinds } = this.#context;
    const { header, body, id, signature, encoded, bytes } = block;
    const rivals = dag.at(header.round).filter(({ author }) => author === header.author);
    const records = units.map((unit) => this.#recordOf(unit));
    const content = {
      id,
      header,
      signature,
      statements: body.statements,
      encoded,
      evidence: body.evidence,
      units: records.map(({ facts }, at) => ({
        signed: units[at]?.signed ?? facts.signed,
        forced: body.units[at]?.forced === true,
      })),
      unitDigests: records.map(({ facts }) => facts.digest),
      bytes,
    };
    const node = dag.add(content, parents, place.history);
    const stored = body.units.flatMap(({ form }, at) => {
      const record = records[at];
      if (record !== undefined) view.carried(record, form, node);
      return view.pool.name(form, node.round, isStored) ?? [];
    });
    for (const { kind, body } of node.statements) kinds.get(kind)?.accepted?.(body, node, view);
    if (rivals[0] !== undefined) this.#keepEvidence(rivals[0], node);
    if (!this.#contradicted.has(node.author)) {
      const found = contradictionIn(node, view);
      if (found !== undefined) this.#contradicts(found);
    }
    return { node, block, units: stored };
  }

  #keepEvidence(a: DagNode, b: DagNode): void {
    if (this.equivocations.has(a.author)) return;
    const signed = (node: DagNode): SignedHeader[] => {
      const { signature } = node;
      return signature === undefined ? [] : [{ header: node.signed().header, signature }];
    };
    const [first, second] = (a.id < b.id ? [a, b] : [b, a]).flatMap(signed);
    if (first === undefined || second === undefined) return;
    this.equivocations.set(a.author, { first, second });
    if (this.#contradicted.has(a.author)) return;
    const offence = offenceOf({ first, second });
    this.#contradicts({ author: a.author, offence, text: "signed two blocks for one round" });
  }

  #contradicts(found: Contradiction): void {
    this.#contradicted.add(found.author);
    this.#contradictions.push(found);
  }

  /** Those found since the last call: of each author the first. */
  takeContradictions(): readonly Contradiction[] {
    const found = this.#contradictions;
    this.#contradictions = [];
    return found;
  }

  #wait(
    block: Block,
    { parents, units }: { readonly parents: readonly string[]; readonly units: readonly string[] },
    from: number,
  ): void {
    const waiting = { block, missing: new Set(parents), units: new Set(units), from };
    this.#waiting.set(block.id, waiting);
    this.#waitingBytes += block.bytes.length;
    for (const id of parents) addTo(this.#children, id, block.id);
    for (const form of units) addTo(this.#carriers, form, block.id);
    while (this.#waiting.size > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES) {
      const id = this.#mostDispensable();
      if (id === undefined) break;
      this.#unwait(id);
    }
  }

  /** The waiting block of the highest round, of the author that has most waiting. */
  #mostDispensable(): string | undefined {
    const byAuthor = new Map<number, Block[]>();
    for (const { block } of this.#waiting.values()) {
      const blocks = byAuthor.get(block.header.author);
      if (blocks) blocks.push(block);
      else byAuthor.set(block.header.author, [block]);
    }
    const most = [...byAuthor.values()].sort((a, b) => b.length - a.length)[0] ?? [];
    return most.sort((a, b) => b.header.round - a.header.round)[0]?.id;
  }

  #unwait(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    this.#waitingBytes -= waiting.block.bytes.length;
    for (const parent of waiting.missing) removeFrom(this.#children, parent, id);
    for (const form of waiting.units) removeFrom(this.#carriers, form, id);
  }

  #refuse(block: Block, reason: string, { refused }: Growing): undefined {
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear();
    this.#refused.set(block.id, this.#context.view.order.lastAnchor);
    refused.push({ id: block.id, author: block.header.author, reason });
    return undefined;
  }
}

/** What is wrong with the units of a block together, else undefined. */
function faultOfUnits(units: readonly PooledUnit[]): string | undefined {
  if (units.reduce((sum, { size }) => sum + size, 0) > MAX_BLOCK_UNIT_BYTES) {
    return "its units are over 1 MiB";
  }
  const isTwice = new Set(units.map(({ digest }) => digest)).size < units.length;
  return isTwice ? "it carries a unit twice" : undefined;
}

function addTo(sets: Map<string, Set<string>>, key: string, member: string): void {
  const set = sets.get(key);
  if (set) set.add(member);
  else sets.set(key, new Set([member]));
}

function removeFrom(sets: Map<string, Set<string>>, key: string, member: string): void {
  const set = sets.get(key);
  set?.delete(member);
  if (set?.size === 0) sets.delete(key);
}
