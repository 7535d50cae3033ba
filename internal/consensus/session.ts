/** The parts that one session's blocks live in: graph, order, view, intake. */
import { toHex } from "#internal/core/mod.ts";
import type { Committee, SessionConfig } from "#internal/proofs/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import type { SessionFacts } from "./block_rules.ts";
import type { DagNode } from "./dag.ts";
import { Dag } from "./dag.ts";
import { BlockIntake } from "./intake.ts";
import { LocalView } from "./local_view.ts";
import type { OrderStart } from "./order.ts";
import { Order } from "./order.ts";
import type { Reach } from "./reach.ts";
import type { AnyStatementKind } from "./statement_kind.ts";
import type { Term } from "./term.ts";
import type { UnitFacts } from "./unit_facts.ts";
import { unitFacts } from "./unit_facts.ts";

/** What a session is made of. */
export interface SessionOptions {
  readonly chain: Uint8Array;
  /** Who signs in it, and the chain's parameters. */
  readonly config: SessionConfig;
  readonly committee: Committee;
  readonly term: Term;
  readonly ledger: Ledger;
  readonly kinds: ReadonlyMap<string, AnyStatementKind>;
  /** The own place in the committee, if there is one. */
  readonly self: number | null;
  readonly start: OrderStart;
  readonly reach: Reach;
  /** The order of the session before: hash chains go on, and what it decided is still executed. */
  readonly before?: Pick<Order, "links" | "lanes" | "committee">;
}

/** One session's parts. */
export interface Session {
  readonly facts: SessionFacts;
  readonly config: SessionConfig;
  readonly self: number | null;
  readonly term: Term;
  readonly dag: Dag;
  readonly view: LocalView;
  readonly order: Order;
  readonly intake: BlockIntake;
  /** Facts of the unit that a block carries at a place, with that block's signed form. */
  factsOf(node: DagNode, position: number): UnitFacts;
}

/** Makes the parts of a session, without blocks. */
export function createSession(options: SessionOptions): Session {
  const { config, committee, term, ledger, kinds, self, start, reach, before } = options;
  const { session, firstRound } = term;
  const facts: SessionFacts = { chain: options.chain, session, firstRound, committee };
  const chain = toHex(facts.chain);
  const dag = new Dag(committee.members.length);
  const view = new LocalView(
    { committee, ledger, chain, self, session, term, reach },
    start.state,
  );
  const factsOf = (node: DagNode, position: number): UnitFacts => {
    const carried = node.units[position];
    if (carried === undefined) {
      throw new RangeError(`Cannot execute unit ${position} of block ${node.id}: it has fewer`);
    }
    const known = view.unit(node.unitDigests[position] ?? "")?.facts;
    return known === undefined
      ? unitFacts(ledger, carried.signed)
      : { ...known, signed: carried.signed };
  };
  const order = new Order(
    {
      committee,
      ledger,
      chain,
      count: ({ kind, body }, node, order) => kinds.get(kind)?.ordered?.(body, node, order),
      factsOf,
      term,
      reach,
    },
    start,
  );
  if (before !== undefined) {
    order.links.inherit(before.links, before.committee, committee);
    order.lanes.inherit(before.lanes.left);
  }
  view.order = order;
  const intake = new BlockIntake({ session: facts, dag, view, kinds });
  return { facts, config, self, term, dag, view, order, intake, factsOf };
}
