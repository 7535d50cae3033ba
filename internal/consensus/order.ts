/**
 * The order of a session: what follows from the committed anchors and their histories, and from
 * nothing else, so that all honest validators have the same. Walks each anchor's new blocks, and
 * closes Pulses.
 */
import { compareBytes, idBytes } from "#internal/core/mod.ts";
import type { LedgerState } from "#internal/ledger/mod.ts";
import type {
  AuthorTime,
  BlockRef,
  Committee,
  Equivocation,
  MixedLink,
} from "#internal/proofs/mod.ts";
import { medianTime, mixBeacon, pulseOfRound } from "#internal/proofs/mod.ts";
import { LinkBook } from "./beacon.ts";
import type { Dag, DagNode } from "./dag.ts";
import { LaneOrder } from "./lane_order.ts";
import type { Decided, LaneContext } from "./lane_order.ts";
import type { LeaderSeed } from "./leaders.ts";
import { leaderSchedule, SEED_ANCHORS } from "./leaders.ts";
import { REACH } from "./reach.ts";
import type { Statement } from "./statement.ts";
import type { UnitFacts } from "./unit_facts.ts";

/** What an order is made with. */
export interface OrderContext extends LaneContext {
  /** Counts a statement of a walked block. */
  count(statement: Statement, node: DagNode, order: Order): void;
  /** Facts of a unit, remembered by its digest. */
  factsOf(node: DagNode, position: number): UnitFacts;
}

/** What the order's Pulse comes to, before it is executed. */
export interface ClosedPulse {
  readonly ordered: readonly Decided[];
  readonly anchors: readonly BlockRef[];
  /** By ascending author. */
  readonly times: readonly AuthorTime[];
  readonly links: readonly MixedLink[];
  readonly evidence: readonly Equivocation[];
  readonly anchorCount: number;
  readonly beacon: Uint8Array;
  readonly timeMs: bigint;
}

/** Where an order begins: at a session's start, or after a restart. */
export interface OrderStart {
  readonly state: LedgerState;
  /** The newest executed Pulse. */
  readonly pulse: number;
  readonly beacon: Uint8Array;
  readonly timeMs: bigint;
  readonly anchorCount: number;
}

/** The order of a session. */
export class Order {
  readonly #context: OrderContext;
  readonly #horizonRounds: number;
  readonly lanes: LaneOrder;
  readonly links: LinkBook;
  /** The newest executed Pulse. */
  #pulse: number;
  #beacon: Uint8Array;
  #timeMs: bigint;
  #anchorCount: number;
  /** Round of the newest anchor, 0 before the first. */
  #lastAnchor = 0;
  #anchors: BlockRef[] = [];
  /** Of each author with a block ordered in this Pulse, the time of its highest one. */
  #times = new Map<number, AuthorTime>();
  /** Of each author, the first evidence against it that was ordered in this Pulse. */
  readonly #evidence = new Map<number, Equivocation>();
  /** Ordered blocks above the horizon. */
  #recent: BlockRef[] = [];
  #seed: LeaderSeed;
  #seedAnchors = 0;
  /** For each author, the number of the last anchor that ordered a block of it. */
  #activity: number[];
  #leader: (round: number) => number;

  constructor(context: OrderContext, start: OrderStart) {
    const { committee } = context;
    this.#context = context;
    this.#horizonRounds = (context.reach ?? REACH).horizonRounds;
    this.lanes = new LaneOrder(context, start.state, start.pulse + 1);
    this.links = new LinkBook(committee.members.length);
    this.#pulse = start.pulse;
    this.#beacon = start.beacon;
    this.#timeMs = start.timeMs;
    this.#anchorCount = start.anchorCount;
    this.#activity = committee.members.map(() => start.anchorCount);
    this.#seed = { seed: start.beacon, eligible: (1 << committee.members.length) - 1 };
    this.#leader = leaderSchedule(committee, this.#seed);
  }

  get committee(): Committee {
    return this.#context.committee;
  }
  get lastAnchor(): number {
    return this.#lastAnchor;
  }
  get anchorCount(): number {
    return this.#anchorCount;
  }
  get beacon(): Uint8Array {
    return this.#beacon;
  }
  get timeMs(): bigint {
    return this.#timeMs;
  }
  /** The newest executed Pulse. */
  get pulse(): number {
    return this.#pulse;
  }

  /** Who leads a round, by the seed in force. */
  leader(round: number): number {
    return this.#leader(round);
  }

  /** Orders an anchor's history. True when leaders of later rounds changed by it. */
  applyAnchor(anchor: DagNode, dag: Dag): boolean {
    const horizon = this.#lastAnchor - this.#horizonRounds;
    this.#anchorCount++;
    const fresh = dag.unordered(anchor.history)
      .filter(({ round }) => round >= horizon)
      .sort(walkOrder);
    for (const node of fresh) this.#walk(node);
    this.lanes.afterAnchor(anchor.round);
    this.#lastAnchor = anchor.round;
    this.#anchors.push(refOf(anchor));
    const floor = anchor.round - this.#horizonRounds;
    this.#recent = this.#recent.filter(({ round }) => round >= floor);
    return this.#renewLeaders();
  }

  /** Closes the Pulse whose slots are all decided. `pulseExecuted` follows. */
  closePulse(): ClosedPulse {
    const pulse = this.#pulse + 1;
    const anchors = this.#anchors;
    const times = sortedValues(this.#times);
    const evidence = sortedValues(this.#evidence);
    const links = anchors.length === 0 ? [] : this.links.draw(pulse);
    if (anchors.length > 0) {
      this.#beacon = mixBeacon(this.#beacon, pulse, links);
      const median = medianTime(this.committee, times) ?? this.#timeMs;
      if (median > this.#timeMs) this.#timeMs = median;
    }
    this.#anchors = [];
    this.#times.clear();
    this.#evidence.clear();
    return {
      ordered: this.lanes.takeOrdered(),
      anchors,
      times,
      links,
      evidence,
      anchorCount: this.#anchorCount,
      beacon: this.#beacon,
      timeMs: this.#timeMs,
    };
  }

  /** The closed Pulse was executed to this state. */
  pulseExecuted(state: LedgerState): void {
    this.#pulse++;
    this.lanes.pulseExecuted(state);
  }

  #walk(node: DagNode): void {
    const { committee } = this.#context;
    node.ordered = true;
    this.#recent.push(refOf(node));
    node.units.forEach(({ forced }, position) => {
      const at = { round: node.round, author: node.author, block: node.id, position };
      this.lanes.carry(this.#context.factsOf(node, position), at, forced);
    });
    for (const statement of node.statements) this.#context.count(statement, node, this);
    if (node.author >= committee.members.length) return;
    for (const evidence of node.evidence) {
      const { author } = evidence.first.header;
      if (!this.#evidence.has(author)) this.#evidence.set(author, evidence);
    }
    const { timeMs } = node;
    const { link } = node.signed().header;
    this.links.show(node.author, { window: pulseOfRound(node.round), ...link });
    const known = this.#times.get(node.author);
    if (known === undefined || node.round > known.round) {
      this.#times.set(node.author, { author: node.author, round: node.round, timeMs });
    }
    this.#activity[node.author] = this.#anchorCount;
  }

  /** After every 32nd anchor: a new seed, and who had a block ordered meanwhile may lead. */
  #renewLeaders(): boolean {
    if (++this.#seedAnchors < SEED_ANCHORS) return false;
    this.#seedAnchors = 0;
    const eligible = this.#activity.reduce(
      (mask, last, author) => last > this.#anchorCount - SEED_ANCHORS ? mask | (1 << author) : mask,
      0,
    );
    this.#seed = { seed: this.#beacon, eligible };
    this.#leader = leaderSchedule(this.committee, this.#seed);
    return true;
  }

  /** What a tail holds besides the lanes. */
  facts(): OrderFacts {
    return {
      lastAnchor: this.#lastAnchor,
      recent: [...this.#recent].sort(refOrder),
      seed: this.#seed,
      seedAnchors: this.#seedAnchors,
      activity: this.#activity,
    };
  }

  /** Puts back what a tail says; the lanes and links are restored by themselves. */
  restoreFacts(facts: OrderFacts): void {
    this.#lastAnchor = facts.lastAnchor;
    this.#recent = [...facts.recent];
    this.#seed = facts.seed;
    this.#seedAnchors = facts.seedAnchors;
    this.#activity = [...facts.activity];
    this.#leader = leaderSchedule(this.committee, this.#seed);
  }
}

/** What a tail holds of an order besides lanes and links. */
export interface OrderFacts {
  readonly lastAnchor: number;
  readonly recent: readonly BlockRef[];
  readonly seed: LeaderSeed;
  readonly seedAnchors: number;
  readonly activity: readonly number[];
}

/** Order of blocks new in one anchor's history: by round, author, id. */
function walkOrder(a: DagNode, b: DagNode): number {
  return a.round - b.round || a.author - b.author || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function refOrder(a: BlockRef, b: BlockRef): number {
  return a.round - b.round || a.author - b.author || compareBytes(a.id, b.id);
}

/** The name of an accepted block. */
export function refOf({ round, author, id }: DagNode): BlockRef {
  return { round, author, id: idBytes(id) };
}

function sortedValues<T>(byAuthor: ReadonlyMap<number, T>): T[] {
  return [...byAuthor].sort(([a], [b]) => a - b).map(([, value]) => value);
}
