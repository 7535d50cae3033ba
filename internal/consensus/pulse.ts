/** Closes a Pulse: executes what was ordered and makes the header that all honest validators make. */
import { encode } from "#internal/core/mod.ts";
import type { Ledger, LedgerState, PulseOutput, SignedUnit } from "#internal/ledger/mod.ts";
import { DataSquare } from "#internal/merkle/mod.ts";
import type { Header, PulseData } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, headerDigest, pulseDataCodec } from "#internal/proofs/mod.ts";
import type { Lock } from "./lane_order.ts";
import type { ClosedPulse, Order } from "./order.ts";
import { encodeTail, tailHash } from "./tail.ts";
import type { Term } from "./term.ts";

/** What a Pulse is closed with. */
export interface PulseContext {
  readonly ledger: Ledger;
  readonly chain: Uint8Array;
  /** Header of the Pulse before, and its digest. */
  readonly previous: Header;
  readonly previousDigest: Uint8Array;
  readonly term: Term;
  readonly config: Uint8Array;
  /**
   * The order that goes on after this Pulse: the same one, or in a session's last Pulse the next
   * session's.
   */
  next(state: LedgerState, closed: ClosedPulse): Order;
}

/** A closed Pulse. */
export interface PulseResult {
  readonly header: Header;
  readonly digest: Uint8Array;
  readonly output: PulseOutput;
  /** Executed units by digest. */
  readonly units: ReadonlyMap<string, SignedUnit>;
  /** What the header's data root stands for. */
  readonly data: Uint8Array;
  /** Of each unit and settled slot in certified order, what decided it. */
  readonly locks: readonly Lock[];
  readonly tail: Uint8Array;
}

/** Executes the order's next Pulse on the state before it, and moves the order on. */
export function closePulse(
  order: Order,
  state: LedgerState,
  context: PulseContext,
): PulseResult {
  const { ledger, chain, previous } = context;
  const number = previous.number + 1n;
  const closed = order.closePulse();
  const { beacon, timeMs } = closed;
  const ordered = closed.ordered.map(({ item }) => item);
  const data = encode(pulseDataCodec, publishedData(closed));
  const output = ledger.execute(state, { pulse: number, timeMs, beacon, ordered });
  order.pulseExecuted(output.state);
  const next = context.next(output.state, closed);
  const tail = encodeTail(next, context.term.firstRound, ledger);
  const { forced } = next.lanes;
  const header: Header = {
    version: FORMAT_VERSION,
    chain,
    number,
    previous: context.previousDigest,
    session: context.term.session,
    sessionEnd: context.term.sessionEnd,
    epoch: context.term.epoch,
    anchorCount: BigInt(closed.anchorCount),
    anchors: closed.anchors,
    beacon,
    timeMs,
    stateRoot: output.roots.state,
    knowledgeRoot: output.roots.knowledge,
    knowledgeSize: output.roots.knowledgeSize,
    receiptsRoot: output.roots.receipts,
    dataRoot: DataSquare.of(data).root(chain),
    config: context.config,
    forcedRoot: forced.root(),
    forcedPending: forced.entries().length,
    forcedOverdue: forced.overdue(Number(number)),
    tail: tailHash(tail),
    leavesRoot: output.roots.leaves,
  };
  const units = new Map(
    ordered.flatMap((item) =>
      item.type === "unit" ? [[ledger.unitDigest(item.signed.unit), item.signed]] : []
    ),
  );
  const locks = closed.ordered.map(({ lock }) => lock);
  return { header, digest: headerDigest(header), output, units, data, locks, tail };
}

function publishedData({ anchors, times, links, evidence, ordered }: ClosedPulse): PulseData {
  const settled: PulseData["settled"][number][] = [];
  const units: PulseData["units"][number][] = [];
  ordered.forEach(({ item, bytes }, place) => {
    if (item.type === "void") {
      settled.push({ place, account: item.account, sequence: item.sequence });
    } else if (bytes !== undefined) units.push({ bytes, forced: item.forced });
  });
  return { anchors, times, links, evidence, settled, units };
}
