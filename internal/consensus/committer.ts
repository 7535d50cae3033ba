/**
 * Decides leader slots in order, walks their anchors, closes a Pulse after each fourth slot, and lets
 * go of what can never matter again. The first anchor at a session's close ends the session.
 */
import type { Ledger, LedgerState, SessionMember } from "#internal/ledger/mod.ts";
import type { Genesis, Header } from "#internal/proofs/mod.ts";
import { PULSE_ROUNDS } from "#internal/proofs/mod.ts";
import { LINK_ROUNDS } from "./block_rules.ts";
import type { CommitView, Decision } from "./commit_rule.ts";
import { decideSlot } from "./commit_rule.ts";
import type { Effect, PulseEffect } from "./contract.ts";
import type { DagNode } from "./dag.ts";
import { inHistory } from "./history.ts";
import type { ClosedPulse, OrderStart } from "./order.ts";
import type { CommitteeOutput } from "./pulse.ts";
import { closePulse } from "./pulse.ts";
import { HORIZON_ROUNDS } from "./reach.ts";
import type { Session } from "./session.ts";
import type { Term } from "./term.ts";
import { termAfter } from "./term.ts";

/** Rounds below the newest anchor after which ordered blocks are held without their bytes. */
const STRIP_ROUNDS = 8;
/**
 * Rounds below the newest anchor after which they are held without their signatures, which are most
 * of a quiet chain's memory: a second block of the same place that comes later is no evidence here.
 */
const SIGNED_ROUNDS = 16;
/** Rounds that are let go of at once. */
const PRUNE_STEP = 16;

/** What a committer begins with. */
export interface CommitterOptions {
  readonly session: Session;
  readonly genesis: Genesis;
  readonly ledger: Ledger;
  /** The newest executed Pulse. */
  readonly header: Header;
  readonly digest: Uint8Array;
  readonly state: LedgerState;
  /** The session's last Pulse is executed already; it only waits for its certificate. */
  readonly closed?: boolean;
  /** The session after this one, if it is known already. */
  readonly next?: Session | undefined;
  /** True for units that wait to be carried here. */
  isQueued(digest: string): boolean;
  /** Makes the session after this one. */
  makeNext(term: Term, start: OrderStart, committee: readonly SessionMember[]): Session;
  /** Blocks are let go of. */
  forgotten(nodes: readonly DagNode[]): void;
}

/** The lowest round whose blocks ordering or validity can still ask for. */
export function floorAfter(lastAnchor: number, firstRound: number): number {
  return Math.max(firstRound, lastAnchor - HORIZON_ROUNDS - LINK_ROUNDS);
}

/** Turns a growing graph into Pulses. */
export class Committer {
  readonly #session: Session;
  /** Without what it begins with, which would stay alive: a whole state. */
  readonly #options: Omit<CommitterOptions, "header" | "digest" | "state" | "closed" | "next">;
  readonly #commitView: CommitView<DagNode>;
  readonly #known = new Map<number, Decision<DagNode>>();
  /** Slots up to this round are decided. */
  #decided: number;
  #stripped: number;
  #unsigned: number;
  #header: Header;
  #digest: Uint8Array;
  #state: LedgerState;
  #closed: boolean;
  #next: Session | undefined;

  constructor(options: CommitterOptions) {
    const { header, digest, state, closed = false, next, ...rest } = options;
    const { session } = rest;
    this.#session = session;
    this.#options = rest;
    this.#header = header;
    this.#digest = digest;
    this.#state = state;
    this.#decided = PULSE_ROUNDS * Number(header.number);
    this.#stripped = session.facts.firstRound;
    this.#unsigned = session.facts.firstRound;
    this.#closed = closed;
    this.#next = next;
    const { dag, order } = session;
    this.#commitView = {
      committee: session.facts.committee,
      get top() {
        return dag.top;
      },
      at: (round) => dag.at(round),
      leader: (round) => order.leader(round),
      descends: (of, block) => inHistory(of.history, block),
    };
  }

  get header(): Header {
    return this.#header;
  }
  get digest(): Uint8Array {
    return this.#digest;
  }
  get state(): LedgerState {
    return this.#state;
  }
  get pulse(): number {
    return Number(this.#header.number);
  }
  /** The session's last Pulse is executed: nothing is ordered any more. */
  get isClosed(): boolean {
    return this.#closed;
  }
  /** The session to go on with, once the last Pulse is certified. */
  get next(): Session | undefined {
    return this.#next;
  }

  /** Decides what can be decided. True when an anchor was committed. */
  advance(effects: Effect[]): boolean {
    let committed = false;
    while (!this.#closed) {
      const round = this.#decided + 1;
      const decision = decideSlot(this.#commitView, round, this.#known);
      if (decision.type === "undecided") break;
      this.#decided = round;
      this.#known.delete(round);
      if (decision.type === "commit") {
        committed = true;
        this.#commit(decision.block, effects);
        this.#closed = round >= this.#session.term.closeRound;
      }
      if (this.#closed || round % PULSE_ROUNDS === 0) this.#closePulse(effects);
    }
    return committed;
  }

  #commit(anchor: DagNode, effects: Effect[]): void {
    const { order, dag, view } = this.#session;
    const leadersChanged = order.applyAnchor(anchor, dag);
    const changes = order.lanes.takeChanges();
    view.decided(changes);
    this.#report(changes.dead.map(({ digest }) => digest), effects);
    if (leadersChanged) this.#known.clear();
  }

  #closePulse(effects: Effect[]): void {
    const { order, view, facts, dag, term } = this.#session;
    const before = this.#state;
    const result = closePulse(order, before, {
      ledger: this.#options.ledger,
      chain: facts.chain,
      previous: this.#header,
      previousDigest: this.#digest,
      term,
      config: this.#session.config,
      closesSession: this.#closed,
      makeNext: (output, closed) => this.#makeNext(output, closed),
    });
    this.#next = result.next;
    const { header, digest, output } = result;
    this.#header = header;
    this.#digest = digest;
    this.#state = output.state;
    view.pulseExecuted(output.state);
    const dead = view.anchorExecuted(order.lastAnchor);
    this.#report(dead.map((record) => record.facts.digest), effects);
    view.pulseVotes.executed(this.pulse, { header, digest, full: output.receipts.length > 0 });
    // Memory is pruned in steps; what it holds, the store has, so that a unit named anew is there too.
    const floor = floorAfter(order.lastAnchor, facts.firstRound);
    const keepFrom = floor >= dag.floor + PRUNE_STEP ? floor : Math.min(dag.floor, floor);
    const effect: PulseEffect = {
      type: "pulse",
      number: this.pulse,
      header,
      digest,
      receipts: output.receipts,
      receiptBytes: output.receiptBytes,
      units: result.units,
      data: result.data,
      locks: result.locks,
      events: output.events,
      changed: output.changed,
      knowledge: output.knowledge,
      state: output.state,
      before,
      touched: output.touched,
      tail: result.tail,
      nextSession: result.next?.config ?? null,
      rows: view.takeRows(),
      keepFrom,
    };
    effects.push(effect);
    this.#strip(order.lastAnchor);
    if (keepFrom > dag.floor) {
      this.#options.forgotten(dag.prune(keepFrom));
      view.prune(keepFrom, this.#options.isQueued);
    }
  }

  #makeNext({ state, committee }: CommitteeOutput, closed: ClosedPulse): Session {
    const pulse = this.pulse + 1;
    const term = termAfter(this.#session.term, pulse, this.#options.genesis);
    const { beacon, timeMs, anchorCount } = closed;
    return this.#options.makeNext(term, { state, pulse, beacon, timeMs, anchorCount }, committee);
  }

  /**
   * Says which units that clients gave to this validator can no longer execute. Those that only the
   * session's close ended may be voted in the next.
   */
  #report(dead: readonly string[], effects: Effect[]): void {
    const { view, order } = this.#session;
    for (const unit of dead) {
      const record = view.unit(unit);
      if (record?.submitted !== true) continue;
      const isOver = record.facts.bound <= order.lastAnchor;
      if (isOver || view.isConsumed(record.facts)) effects.push({ type: "dead", unit });
    }
  }

  /** Ordered blocks are needed for certificates and as places only: what else they and their units hold goes. */
  #strip(lastAnchor: number): void {
    const { dag, view } = this.#session;
    for (; this.#unsigned < lastAnchor - SIGNED_ROUNDS; this.#unsigned++) {
      for (const node of dag.at(this.#unsigned)) node.signature = undefined;
    }
    for (; this.#stripped < lastAnchor - STRIP_ROUNDS; this.#stripped++) {
      for (const node of dag.at(this.#stripped)) {
        if (!node.ordered) continue;
        node.strip();
        for (const digest of node.unitDigests) {
          const record = view.unit(digest);
          if (record !== undefined) view.strip(record);
        }
      }
    }
  }
}
