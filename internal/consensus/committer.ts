/**
 * Decides leader slots in order, walks their anchors, closes a Pulse after each fourth slot, and lets
 * go of what can never matter again.
 */
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import type { Header } from "#internal/proofs/mod.ts";
import { PULSE_ROUNDS } from "#internal/proofs/mod.ts";
import type { CommitView, Decision } from "./commit_rule.ts";
import { decideSlot } from "./commit_rule.ts";
import type { Effect, PulseEffect } from "./contract.ts";
import type { DagNode } from "./dag.ts";
import { inHistory } from "./dag.ts";
import { HORIZON_ROUNDS } from "./lane_order.ts";
import type { UnitRecord } from "./local_view.ts";
import { closePulse } from "./pulse.ts";
import type { Session } from "./session.ts";
import { LINK_ROUNDS } from "./block_rules.ts";

/** Rounds below the newest anchor after which ordered blocks are held without their bytes. */
const STRIP_ROUNDS = 16;
/** Rounds that are let go of at once. */
const PRUNE_STEP = 16;

/** Facts of the chain that every header of a session has. */
export interface HeaderFacts {
  readonly chain: Uint8Array;
  readonly session: number;
  readonly sessionEnd: bigint | null;
  readonly epoch: bigint;
  readonly config: Uint8Array;
}

/** What a committer begins with. */
export interface CommitterOptions {
  readonly session: Session;
  readonly ledger: Ledger;
  readonly facts: HeaderFacts;
  /** The newest executed Pulse. */
  readonly header: Header;
  readonly digest: Uint8Array;
  readonly state: LedgerState;
  /** True for units that wait in the own queue. */
  isQueued(digest: string): boolean;
}

/** The lowest round whose blocks ordering or validity can still ask for. */
export function floorAfter(lastAnchor: number, firstRound: number): number {
  return Math.max(firstRound, lastAnchor - HORIZON_ROUNDS - LINK_ROUNDS);
}

/** Turns a growing graph into Pulses. */
export class Committer {
  readonly #session: Session;
  readonly #options: CommitterOptions;
  readonly #commitView: CommitView<DagNode>;
  readonly #known = new Map<number, Decision<DagNode>>();
  /** Slots up to this round are decided. */
  #decided: number;
  #stripped: number;
  #header: Header;
  #digest: Uint8Array;
  #state: LedgerState;

  constructor(options: CommitterOptions) {
    const { session } = options;
    this.#session = session;
    this.#options = options;
    this.#header = options.header;
    this.#digest = options.digest;
    this.#state = options.state;
    this.#decided = PULSE_ROUNDS * Number(options.header.number);
    this.#stripped = session.facts.firstRound;
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
  get state(): LedgerState {
    return this.#state;
  }
  get pulse(): number {
    return Number(this.#header.number);
  }

  /** Decides what can be decided. True when an anchor was committed. */
  advance(effects: Effect[], gone: (nodes: readonly DagNode[]) => void): boolean {
    const { order, dag, view } = this.#session;
    let committed = false;
    for (;;) {
      const round = this.#decided + 1;
      const decision = decideSlot(this.#commitView, round, this.#known);
      if (decision.type === "undecided") return committed;
      this.#decided = round;
      this.#known.delete(round);
      if (decision.type === "commit") {
        committed = true;
        const leadersChanged = order.applyAnchor(decision.block, dag);
        const changes = order.lanes.takeChanges();
        view.decided(changes);
        this.#report(changes.dead.map(({ digest }) => digest), effects);
        if (leadersChanged) this.#known.clear();
      }
      if (round % PULSE_ROUNDS === 0) this.#closePulse(effects, gone);
    }
  }

  #closePulse(effects: Effect[], gone: (nodes: readonly DagNode[]) => void): void {
    const { order, view, facts, dag } = this.#session;
    const result = closePulse(order, this.#state, {
      ledger: this.#options.ledger,
      previous: this.#header,
      previousDigest: this.#digest,
      ...this.#options.facts,
    });
    const { header, digest, output } = result;
    this.#header = header;
    this.#digest = digest;
    this.#state = output.state;
    view.state = output.state;
    const dead = view.anchorExecuted(order.lastAnchor);
    this.#report(dead.map((record: UnitRecord) => record.facts.digest), effects);
    view.pulseVotes.executed(this.pulse, { header, digest, full: output.receipts.length > 0 });
    const keepFrom = floorAfter(order.lastAnchor, facts.firstRound);
    const effect: PulseEffect = {
      type: "pulse",
      number: this.pulse,
      header,
      digest,
      receipts: output.receipts,
      units: result.units,
      events: output.events,
      changed: output.changed,
      knowledge: output.knowledge,
      state: output.state,
      tail: result.tail,
      rows: view.takeRows(),
      keepFrom,
    };
    effects.push(effect);
    this.#strip(order.lastAnchor - STRIP_ROUNDS);
    if (keepFrom >= dag.floor + PRUNE_STEP) {
      gone(dag.prune(keepFrom));
      view.prune(keepFrom, this.#options.isQueued);
    }
  }

  /** Says which units that clients gave to this validator can no longer execute. */
  #report(dead: readonly string[], effects: Effect[]): void {
    for (const unit of dead) {
      if (this.#session.view.unit(unit)?.submitted === true) effects.push({ type: "dead", unit });
    }
  }

  /** Ordered blocks are needed for their statements only: bytes and units' signatures go. */
  #strip(below: number): void {
    const { dag, view } = this.#session;
    for (; this.#stripped < below; this.#stripped++) {
      for (const node of dag.at(this.#stripped)) {
        if (!node.ordered) continue;
        // The encodings are views into the bytes, which would stay alive with them.
        node.encoded = node.encoded.map((encoded) => encoded.slice());
        node.bytes = undefined;
        node.units = [];
        for (const digest of node.unitDigests) {
          const record = view.unit(digest);
          if (record !== undefined) view.strip(record);
        }
      }
    }
  }
}
