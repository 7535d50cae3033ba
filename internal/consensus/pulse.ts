/** Closes a Pulse: executes what was ordered and makes the header that all honest validators make. */
import { encode } from "#internal/core/mod.ts";
import type {
  Ledger,
  LedgerState,
  PulseOutput,
  SessionMember,
  SignedUnit,
} from "#internal/ledger/mod.ts";
import { DataSquare } from "#internal/merkle/mod.ts";
import type { Header, PulseData, SessionConfig } from "#internal/proofs/mod.ts";
import {
  configHash,
  FORMAT_VERSION,
  headerDigest,
  lastConfigHash,
  pulseDataCodec,
} from "#internal/proofs/mod.ts";
import type { Lock } from "./lane_order.ts";
import type { ClosedPulse, Order } from "./order.ts";
import type { Session } from "./session.ts";
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
  /** The session's config, and whether this is its last Pulse. */
  readonly config: SessionConfig;
  readonly closesSession: boolean;
  /** Makes the session after this one, of a committee. */
  makeNext(output: CommitteeOutput, closed: ClosedPulse): Session;
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
  /** Of a session's last Pulse, the session after it. */
  readonly next: Session | undefined;
}

/** What the execution of a session's last Pulse came to. */
export type CommitteeOutput = Pick<PulseOutput, "state"> & {
  readonly committee: readonly SessionMember[];
};

/** Executes the order's next Pulse on the state before it, and moves the order on. */
export function closePulse(
  order: Order,
  state: LedgerState,
  context: PulseContext,
): PulseResult {
  const { ledger, chain, previous, term, closesSession } = context;
  const number = previous.number + 1n;
  const closed = order.closePulse();
  const { beacon, timeMs } = closed;
  const ordered = closed.ordered.map(({ item }) => item);
  const data = encode(pulseDataCodec, publishedData(closed));
  const output = ledger.execute(state, { pulse: number, timeMs, beacon, ordered, closesSession });
  if (output.endsSession) term.changed(number);
  order.pulseExecuted(output.state);
  const { committee } = output;
  if (closesSession && committee === null) {
    throw new TypeError("Cannot close a session: the state has no validators");
  }
  const next = committee === null ? undefined : context.makeNext({ ...output, committee }, closed);
  const goesOn = next?.order ?? order;
  const tail = encodeTail(goesOn, term.firstRound, ledger);
  const { forced } = goesOn.lanes;
  const header: Header = {
    version: FORMAT_VERSION,
    chain,
    number,
    previous: context.previousDigest,
    session: term.session,
    sessionEnd: term.sessionEnd,
    epoch: term.epoch,
    anchorCount: BigInt(closed.anchorCount),
    anchors: closed.anchors,
    beacon,
    timeMs,
    stateRoot: output.roots.state,
    knowledgeRoot: output.roots.knowledge,
    knowledgeSize: output.roots.knowledgeSize,
    receiptsRoot: output.roots.receipts,
    dataRoot: DataSquare.of(data).root(chain),
    config: headerConfig(context.config, next?.config),
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
  return { header, digest: headerDigest(header), output, units, data, locks, tail, next };
}

function headerConfig(config: SessionConfig, next: SessionConfig | undefined): Uint8Array {
  const hash = configHash(config);
  return next === undefined ? hash : lastConfigHash(hash, configHash(next));
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
