/** Assembles a validator's parts, fresh from a genesis or from what an earlier run persisted. */
import { fromHex } from "#internal/core/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import { EMPTY_ROOT } from "#internal/merkle/mod.ts";
import { equalBytes } from "#internal/core/mod.ts";
import type { GenesisFacts, Header } from "#internal/proofs/mod.ts";
import { configHash, genesisOf, headerDigest } from "#internal/proofs/mod.ts";
import type { Block, BlockCodec } from "./block.ts";
import { createBlockCodec } from "./block.ts";
import { Committer, floorAfter } from "./committer.ts";
import type { Effect, Restored, StoredBlock, Tuning, ValidatorOptions } from "./contract.ts";
import { LinkChain } from "./link_chain.ts";
import { DEFAULT_TUNING, Pace } from "./pace.ts";
import { Producer } from "./producer.ts";
import type { Session } from "./session.ts";
import { createSession } from "./session.ts";
import type { AnyStatementKind } from "./statement_kind.ts";
import { statementKinds } from "./statements/mod.ts";
import { Sync } from "./sync.ts";
import { decodeTail, orderedIds, restoreOrder } from "./tail.ts";
import { MAX_ROUND, unitFacts } from "./unit_facts.ts";
import { UnitQueue } from "./unit_queue.ts";

/** The parts that a validator's steps work with. */
export interface Parts {
  readonly self: number | null;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly ledger: Ledger;
  readonly kinds: ReadonlyMap<string, AnyStatementKind>;
  readonly tuning: Tuning;
  readonly session: Session;
  readonly committer: Committer;
  readonly pace: Pace;
  readonly queue: UnitQueue;
  readonly sync: Sync;
  /** Undefined for a follower. */
  readonly producer: Producer | undefined;
  /** Ids of held own blocks. */
  readonly ownIds: Set<string>;
  readonly epochEnd: number | null;
  /** The newest own block, to be sent again. */
  resend(): Effect | undefined;
}

/** @throws {SionError} `codec` when what was persisted is damaged. */
export function assemble(options: ValidatorOptions): Parts {
  const { genesis, ledger, self, restored } = options;
  const origin = genesisOf(genesis, ledger);
  const list = [...(options.statements ?? statementKinds)].sort((a, b) => a.tag - b.tag);
  const kinds = new Map<string, AnyStatementKind>(list.map((kind) => [kind.name, kind]));
  const codec = createBlockCodec(ledger, list);
  const tuning = { ...DEFAULT_TUNING, ...options.tuning };
  const session = makeSession(options, origin, kinds);
  const queue = new UnitQueue(tuning.queueBytes);
  const header = restored?.header ?? origin.header;
  const committer = makeCommitter(options, origin, session, header, queue);
  const pace = new Pace(tuning);
  const producer = self === null ? undefined : new Producer({
    self,
    session: session.facts,
    dag: session.dag,
    view: session.view,
    codec,
    kinds: list,
    chain: new LinkChain(seedOf(options)),
    queue,
    equivocations: session.intake.equivocations,
  });
  const ownIds = new Set<string>();
  if (restored !== undefined) {
    restore(restored, { ledger, session, codec, producer, ownIds });
  }
  let own: StoredBlock | undefined = restored?.own;
  const resend = (): Effect | undefined => {
    const last = producer?.last;
    const node = session.dag.at(last?.round ?? 0).find(({ author }) => author === self);
    if (node?.bytes !== undefined) own = undefined;
    const sent = node?.bytes === undefined ? own : { bytes: node.bytes, signature: node.signature };
    if (sent === undefined) return undefined;
    const { bytes, signature } = sent;
    return { type: "send", to: "all", message: { type: "block", block: { bytes, signature } } };
  };
  const sync = new Sync(session, { self, retryMs: tuning.retryMs, resend });
  return {
    self,
    chain: origin.chain,
    ledger,
    kinds,
    tuning,
    session,
    committer,
    pace,
    queue,
    sync,
    producer,
    ownIds,
    epochEnd: null,
    resend,
  };
}

function seedOf({ chainSeed }: ValidatorOptions): Uint8Array {
  if (chainSeed === undefined) throw new TypeError("Cannot make validator: chainSeed is missing");
  return chainSeed;
}

function makeSession(
  { ledger, self, restored }: ValidatorOptions,
  origin: GenesisFacts,
  kinds: ReadonlyMap<string, AnyStatementKind>,
): Session {
  const header = restored?.header ?? origin.header;
  return createSession({
    facts: {
      chain: fromHex(origin.chain),
      session: header.session,
      firstRound: 1,
      committee: origin.committee,
    },
    closeRound: MAX_ROUND,
    ledger,
    kinds,
    self,
    start: {
      state: restored?.state ?? origin.state,
      pulse: Number(header.number),
      beacon: header.beacon,
      timeMs: header.timeMs,
      anchorCount: Number(header.anchorCount),
    },
  });
}

function makeCommitter(
  { ledger, genesis, restored }: ValidatorOptions,
  origin: GenesisFacts,
  session: Session,
  header: Header,
  queue: UnitQueue,
): Committer {
  const epoch = header.epoch;
  return new Committer({
    session,
    ledger,
    facts: {
      chain: session.facts.chain,
      session: session.facts.session,
      sessionEnd: header.sessionEnd,
      epoch,
      config: configHash(genesis, origin.committee, { session: header.session, epoch }),
    },
    header,
    digest: headerDigest(header),
    state: restored?.state ?? origin.state,
    isQueued: (digest) => queue.has(digest),
  });
}

interface RestoreContext {
  readonly ledger: Ledger;
  readonly session: Session;
  readonly codec: BlockCodec;
  readonly producer: Producer | undefined;
  readonly ownIds: Set<string>;
}

/** Puts back order, graph, locks and votes. Blocks whose parents were lost come again from peers. */
function restore(restored: Restored, context: RestoreContext): void {
  const { ledger, session, codec, producer, ownIds } = context;
  const { order, view, dag, intake } = session;
  const tail = restored.tail === undefined ? undefined : decodeTail(restored.tail, ledger);
  if (tail !== undefined) order.restoreFacts(tail.facts);
  dag.prune(floorAfter(order.lastAnchor, session.facts.firstRound));
  const ordered = tail === undefined ? new Set<string>() : orderedIds(tail);
  const decodeStored = ({ bytes, signature }: StoredBlock): Block => codec.decode(bytes, signature);
  const blocks = [...restored.blocks].sort((a, b) => a.round - b.round || a.author - b.author);
  for (const stored of blocks) {
    if (stored.author === producer?.self) ownIds.add(stored.id);
    const node = intake.restore(decodeStored(stored));
    if (node === undefined) continue;
    node.ordered = ordered.has(node.id);
    producer?.accepted(node);
  }
  if (tail !== undefined) {
    const closeRound = session.closeRound;
    restoreOrder(
      order,
      tail,
      ({ block, position }) => {
        const node = dag.get(block);
        if (node === undefined) throw new RangeError(`The stored blocks lack ${block}`);
        return session.factsOf(node, position);
      },
      (signed) => unitFacts(ledger, signed, closeRound),
    );
  }
  for (const row of restored.rows) view.own.restore(row);
  if (restored.own !== undefined && producer !== undefined) {
    ownIds.add(restored.own.id);
    producer.made(decodeStored(restored.own));
  }
  view.pulseVotes.setCertified(restored.certified);
  for (const header of restored.uncertified) {
    view.pulseVotes.executed(Number(header.number), {
      header,
      digest: headerDigest(header),
      full: !equalBytes(header.receiptsRoot, EMPTY_ROOT),
    });
  }
}
