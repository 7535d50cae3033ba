/**
 * The blocks that are held, and which descends from which. A block's history is a bit set over the
 * blocks' places in a growing list, so that asking whether one block lies in the history of another
 * is one look, and a new history is the union of its parents'.
 */
import type { BlockHeader, Equivocation } from "#internal/proofs/mod.ts";
import type { CarriedUnit } from "./block.ts";
import type { History } from "./history.ts";
import type { Statement } from "./statement.ts";

const WORD_BITS = 32;

/** What an accepted block brings into the graph. */
export interface NodeContent {
  /** 64 hex digits. */
  readonly id: string;
  readonly header: BlockHeader;
  /** May be a view into the message it came in; undefined once the block is long ordered. */
  signature: Uint8Array | undefined;
  readonly statements: readonly Statement[];
  /** Each statement's encoding, tag first. */
  encoded: readonly Uint8Array[];
  readonly evidence: readonly Equivocation[];
  /** Emptied once the block is long ordered. */
  units: readonly CarriedUnit[];
  /** Digests of the units, in their order. */
  readonly unitDigests: readonly string[];
  /** Canonical bytes; undefined once the block is long ordered. */
  bytes: Uint8Array | undefined;
}

/** An accepted block. */
export interface DagNode extends NodeContent {
  /** Place in the list of accepted blocks. */
  readonly index: number;
  readonly round: number;
  readonly author: number;
  /** Its parents of the round before, by author; what the commit rule looks at. */
  links: readonly (DagNode | undefined)[];
  /** Its history, itself included. */
  readonly history: History;
  /** Walked in the order already. */
  ordered: boolean;
}

/** All held blocks. */
export class Dag {
  readonly #byId = new Map<string, DagNode>();
  readonly #byIndex = new Map<number, DagNode>();
  readonly #byRound = new Map<number, DagNode[]>();
  readonly #authors: number;
  #next = 0;
  #lowest = 0;
  #top = 0;
  #floor = 0;

  constructor(authors: number) {
    this.#authors = authors;
  }

  /** Number of blocks held. */
  get size(): number {
    return this.#byId.size;
  }
  /** The highest round with a block. */
  get top(): number {
    return this.#top;
  }
  /** Blocks of lower rounds are not held any more. */
  get floor(): number {
    return this.#floor;
  }

  get(id: string): DagNode | undefined {
    return this.#byId.get(id);
  }

  /** The blocks of a round, in the order they came. */
  at(round: number): readonly DagNode[] {
    return this.#byRound.get(round) ?? [];
  }

  /** Mask of the authors with a block of the round. */
  authorsAt(round: number): number {
    let mask = 0;
    for (const node of this.at(round)) mask |= 1 << node.author;
    return mask;
  }

  /** The history of a block with these parents; `own` is the place the block itself would get. */
  historyOf(parents: readonly DagNode[]): History {
    const base = this.#lowest >>> 5;
    const words = new Uint32Array(((this.#next >>> 5) - base) + 1);
    for (const { history } of parents) {
      const shift = base - history.base;
      const from = Math.max(0, shift);
      for (let i = from; i < history.words.length; i++) {
        words[i - shift] = (words[i - shift] as number) | (history.words[i] as number);
      }
    }
    const own = this.#next;
    words[(own >>> 5) - base] = (words[(own >>> 5) - base] as number) | (1 << (own & 31));
    return { base, words };
  }

  /** Takes in a block whose held parents are given, with `historyOf` them. */
  add(content: NodeContent, parents: readonly DagNode[], history: History): DagNode {
    const { round, author } = content.header;
    const links: (DagNode | undefined)[] = new Array(this.#authors).fill(undefined);
    for (const parent of parents) if (parent.round === round - 1) links[parent.author] = parent;
    const node: DagNode = {
      ...content,
      index: this.#next++,
      round,
      author,
      links,
      history,
      ordered: false,
    };
    this.#byId.set(node.id, node);
    this.#byIndex.set(node.index, node);
    const row = this.#byRound.get(round);
    if (row) row.push(node);
    else this.#byRound.set(round, [node]);
    this.#top = Math.max(this.#top, round);
    return node;
  }

  /** The blocks of a history that were not ordered yet. */
  unordered(history: History): DagNode[] {
    const out: DagNode[] = [];
    history.words.forEach((word, i) => {
      for (let rest = word; rest !== 0;) {
        const bit = 31 - Math.clz32(rest & -rest);
        rest &= rest - 1;
        const node = this.#byIndex.get((history.base + i) * WORD_BITS + bit);
        if (node !== undefined && !node.ordered) out.push(node);
      }
    });
    return out;
  }

  /** Forgets the blocks below a round and returns them. */
  prune(floor: number): DagNode[] {
    const gone: DagNode[] = [];
    for (const [round, row] of this.#byRound) {
      if (round < floor) {
        gone.push(...row);
        this.#byRound.delete(round);
      } else if (round === floor) {
        // Their parents are gone: without this, every ancestor would stay reachable in memory.
        for (const node of row) node.links = [];
      }
    }
    for (const node of gone) {
      this.#byId.delete(node.id);
      this.#byIndex.delete(node.index);
      node.links = [];
    }
    this.#floor = Math.max(this.#floor, floor);
    for (const index of this.#byIndex.keys()) {
      this.#lowest = index;
      break;
    }
    if (this.#byIndex.size === 0) this.#lowest = this.#next;
    return gone;
  }
}
