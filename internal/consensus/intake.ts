/**
 * Takes blocks into the graph: a block waits until its parents are held, is checked against its
 * history, and then brings its units and statements into the view. Nothing a peer sends throws here.
 */
import { toHex } from "#internal/core/mod.ts";
import type { BlockRef, Equivocation, SignedHeader } from "#internal/proofs/mod.ts";
import type { Block } from "./block.ts";
import type { SessionFacts } from "./block_rules.ts";
import { enterStatements, evidenceFault, headerFault, statementsFault } from "./block_rules.ts";
import type { Dag, DagNode } from "./dag.ts";
import type { LocalView } from "./local_view.ts";
import type { StatementPlace } from "./history.ts";
import type { AnyStatementKind } from "./statement_kind.ts";

/** Blocks that wait for parents; beyond it the highest rounds are dropped. */
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

/** What came of a received block. */
export interface Intake {
  /** Blocks taken in, parents before children. */
  readonly accepted: readonly { readonly node: DagNode; readonly block: Block }[];
  readonly refused: readonly Refusal[];
}

interface Waiting {
  readonly block: Block;
  readonly missing: Set<string>;
  readonly from: number;
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
  /** Refused blocks, with the newest anchor then: a later anchor may make them acceptable. */
  readonly #refused = new Map<string, number>();
  #waitingBytes = 0;
  /** Two headers of one place, by author; the first found is kept. */
  readonly equivocations = new Map<number, Equivocation>();

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
    const accepted: { node: DagNode; block: Block }[] = [];
    const refused: Refusal[] = [];
    if (!this.wants(block)) return { accepted, refused };
    const { session } = this.#context;
    const fault = headerFault(block.header, session) ?? evidenceFault(block.body.evidence, session);
    if (fault !== undefined) {
      this.#refuse(block, fault, refused);
      return { accepted, refused };
    }
    this.#enter(block, from, accepted, refused);
    return { accepted, refused };
  }

  /** After an anchor: parents that can never be ordered any more are not waited for. */
  recheck(): Intake {
    const accepted: { node: DagNode; block: Block }[] = [];
    const refused: Refusal[] = [];
    for (const [id, waiting] of this.#waiting) {
      if (waiting.block.header.round < this.#context.dag.floor) {
        this.#unwait(id);
      } else if (waiting.block.header.parents.every((ref) => !this.#isMissing(ref))) {
        this.#unwait(id);
        this.#enter(waiting.block, waiting.from, accepted, refused);
      }
    }
    return { accepted, refused };
  }

  /** Ids of parents that are not here, not even waiting, each with the peer that named it last. */
  missing(): Map<string, number> {
    const wanted = new Map<string, number>();
    for (const { missing, from } of this.#waiting.values()) {
      for (const id of missing) if (!this.#waiting.has(id)) wanted.set(id, from);
    }
    return wanted;
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

  /** Puts a block that was accepted by an earlier run back, without its history checks. */
  restore(block: Block): DagNode | undefined {
    const { dag } = this.#context;
    if (dag.get(block.id) !== undefined || block.header.round < dag.floor) return undefined;
    if (block.header.parents.some((ref) => this.#isMissing(ref))) return undefined;
    const parents = this.#heldParents(block.header.parents);
    return this.#add(block, parents ?? [], this.#placeOf(block, parents ?? []));
  }

  /** Adds an own block that was just signed. */
  addOwn(block: Block, parents: readonly DagNode[]): DagNode {
    return this.#add(block, parents, this.#placeOf(block, parents));
  }

  /** Rounds below this can never be ordered any more: what is missing there is not waited for. */
  get #waivedBelow(): number {
    return this.#context.view.order.lastAnchor - this.#context.view.reach.horizonRounds;
  }

  #isMissing(ref: BlockRef): boolean {
    return ref.round >= this.#waivedBelow && this.#context.dag.get(toHex(ref.id)) === undefined;
  }

  #enter(
    first: Block,
    from: number,
    accepted: { node: DagNode; block: Block }[],
    refused: Refusal[],
  ): void {
    const ready = [first];
    for (let block = ready.pop(); block !== undefined; block = ready.pop()) {
      const missing = block.header.parents.filter((ref) => this.#isMissing(ref));
      if (missing.length > 0) {
        this.#wait(block, missing.map(({ id }) => toHex(id)), from);
        continue;
      }
      const node = this.#accept(block, refused);
      if (node === undefined) continue;
      accepted.push({ node, block });
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

  #accept(block: Block, refused: Refusal[]): DagNode | undefined {
    const { view, kinds } = this.#context;
    const parents = this.#heldParents(block.header.parents);
    if (parents === undefined) {
      this.#refuse(block, "it names a parent by a wrong place", refused);
      return undefined;
    }
    const place = this.#placeOf(block, parents);
    for (const { signed } of block.body.units) view.intern(signed);
    enterStatements(block.body, place, kinds);
    // Below this, blocks of the history may be forgotten here: what cannot be checked is let pass,
    // since a Byzantine statement alone moves nothing.
    if (block.header.round >= this.#waivedBelow + view.reach.spanRounds) {
      const fault = statementsFault(block.body, place, kinds, view);
      if (fault !== undefined) {
        this.#refuse(block, fault, refused);
        return undefined;
      }
    }
    return this.#add(block, parents, place);
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

  #placeOf(block: Block, parents: readonly DagNode[]): StatementPlace {
    const { dag, view } = this.#context;
    return {
      round: block.header.round,
      author: block.header.author,
      history: dag.historyOf(parents),
      carries: new Set(
        block.body.units.map(({ signed }) => view.context.ledger.unitDigest(signed.unit)),
      ),
      votes: new Set(),
    };
  }

  #add(block: Block, parents: readonly DagNode[], place: StatementPlace): DagNode {
    const { dag, view, kinds } = this.#context;
    const { header, body, id, signature, encoded, bytes } = block;
    const rivals = dag.at(header.round).filter(({ author }) => author === header.author);
    const records = body.units.map(({ signed }) => view.intern(signed));
    const content = {
      id,
      header,
      signature,
      statements: body.statements,
      encoded,
      evidence: body.evidence,
      units: body.units,
      unitDigests: records.map(({ facts }) => facts.digest),
      bytes,
    };
    const node = dag.add(content, parents, place.history);
    for (const record of records) view.carried(record, node);
    for (const { kind, body } of node.statements) kinds.get(kind)?.accepted?.(body, node, view);
    if (rivals[0] !== undefined) this.#keepEvidence(rivals[0], node);
    return node;
  }

  #keepEvidence(a: DagNode, b: DagNode): void {
    if (this.equivocations.has(a.author)) return;
    const signed = (node: DagNode): SignedHeader[] => {
      const { header, signature } = node;
      return signature === undefined ? [] : [{ header, signature }];
    };
    const [first, second] = (a.id < b.id ? [a, b] : [b, a]).flatMap(signed);
    if (first === undefined || second === undefined) return;
    this.equivocations.set(a.author, { first, second });
  }

  #wait(block: Block, missing: readonly string[], from: number): void {
    this.#waiting.set(block.id, { block, missing: new Set(missing), from });
    this.#waitingBytes += block.bytes.length;
    for (const id of missing) {
      const children = this.#children.get(id);
      if (children) children.add(block.id);
      else this.#children.set(id, new Set([block.id]));
    }
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
    for (const parent of waiting.missing) {
      const children = this.#children.get(parent);
      children?.delete(id);
      if (children?.size === 0) this.#children.delete(parent);
    }
  }

  #refuse(block: Block, reason: string, refused: Refusal[]): void {
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear();
    this.#refused.set(block.id, this.#context.view.order.lastAnchor);
    refused.push({ id: block.id, author: block.header.author, reason });
  }
}
