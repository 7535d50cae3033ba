/**
 * The blocks that are held, and which descends from which. A block's history is a bit set over the
 * blocks' places in a growing list, so that asking whether one block lies in the history of another
 * is one look, and a new history is the union of its parents'.
 */
import type { Codec } from "#internal/core/mod.ts";
import { byteString, decode, encode, list, struct } from "#internal/core/mod.ts";
import type { BlockHeader, Equivocation } from "#internal/proofs/mod.ts";
import { blockHeaderCodec } from "#internal/proofs/mod.ts";
import type { CarriedUnit } from "./block.ts";
import type { History } from "./history.ts";
import type { Statement } from "./statement.ts";

const WORD_BITS = 32;
const NONE: readonly never[] = [];

/** What an accepted block brings into the graph. */
export interface NodeContent {
  /** 64 hex digits. */
  readonly id: string;
  readonly header: BlockHeader;
  /** May be a view into the message it came in. */
  readonly signature: Uint8Array;
  readonly statements: readonly Statement[];
  /** Each statement's encoding, tag first. */
  readonly encoded: readonly Uint8Array[];
  readonly evidence: readonly Equivocation[];
  readonly units: readonly CarriedUnit[];
  /** Digests of the units, in their order. */
  readonly unitDigests: readonly string[];
  /** Canonical bytes; undefined when the store alone has them. */
  readonly bytes: Uint8Array | undefined;
}

/** What certificates are made of. */
type Signed = Pick<NodeContent, "header" | "encoded">;

/** As one byte string it takes a fifth of the memory. */
const signedCodec: Codec<Signed> = struct({
  header: blockHeaderCodec,
  encoded: list(byteString()),
});

/** An accepted block. */
export class DagNode {
  readonly id: string;
  /** Place in the list of accepted blocks. */
  readonly index: number;
  readonly round: number;
  readonly author: number;
  /** When its author made it, ms. */
  readonly timeMs: bigint;
  /** Its history, itself included. */
  readonly history: History;
  readonly unitDigests: readonly string[];
  /** Its parents of the round before, by author; what the commit rule looks at. */
  links: readonly (DagNode | undefined)[];
  /** Walked in the order already. */
  ordered = false;
  /** May be a view into the message it came in; undefined once the block is long ordered. */
  signature: Uint8Array | undefined;
  #signed: Signed | Uint8Array;
  #statements: readonly Statement[];
  #evidence: readonly Equivocation[];
  #units: readonly CarriedUnit[];
  #bytes: Uint8Array | undefined;

  constructor(
    { id, header, signature, statements, encoded, evidence, units, unitDigests, bytes }:
      NodeContent,
    { index, links, history }: Pick<DagNode, "index" | "links" | "history">,
  ) {
    this.id = id;
    this.index = index;
    this.round = header.round;
    this.author = header.author;
    this.timeMs = header.timeMs;
    this.history = history;
    this.unitDigests = unitDigests;
    this.links = links;
    this.signature = signature;
    this.#signed = { header, encoded };
    this.#statements = statements;
    this.#evidence = evidence;
    this.#units = units;
    this.#bytes = bytes;
  }

  /** Empty once stripped, as evidence and units are. */
  get statements(): readonly Statement[] {
    return this.#statements;
  }
  get evidence(): readonly Equivocation[] {
    return this.#evidence;
  }
  get units(): readonly CarriedUnit[] {
    return this.#units;
  }
  /** Canonical bytes; undefined once stripped. */
  get bytes(): Uint8Array | undefined {
    return this.#bytes;
  }
  /** Header and encodings of the statements: decoded anew each time once stripped. */
  signed(): Signed {
    return this.#signed instanceof Uint8Array ? decode(signedCodec, this.#signed) : this.#signed;
  }

  /** The block was walked: from now on it is its place in the graph and what certificates need. */
  strip(): void {
    if (this.#signed instanceof Uint8Array) return;
    this.#signed = encode(signedCodec, this.#signed);
    this.#statements = NONE;
    this.#evidence = NONE;
    this.#units = NONE;
    this.#bytes = undefined;
    // It is a view into the bytes, which would stay alive with it.
    this.signature = this.signature?.slice();
  }
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
    const { round } = content.header;
    const links: (DagNode | undefined)[] = new Array(this.#authors).fill(undefined);
    for (const parent of parents) if (parent.round === round - 1) links[parent.author] = parent;
    const node = new DagNode(content, { index: this.#next++, links, history });
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
