/**
 * Assembles a validator's parts: fresh from a genesis, from what an earlier run persisted, or for
 * the session after one that ended.
 */
import { equalBytes, fromHex, toHex } from "#internal/core/mod.ts";
import type { Ledger, SessionMember } from "#internal/ledger/mod.ts";
import { validatorId, validatorSetOf } from "#internal/ledger/mod.ts";
import { EMPTY_ROOT } from "#internal/merkle/mod.ts";
import type { Committee, Genesis, GenesisFacts, Header } from "#internal/proofs/mod.ts";
import {
  committeeOf,
  configOf,
  genesisOf,
  headerDigest,
  isLastOfSession,
  pulseOfRound,
} from "#internal/proofs/mod.ts";
import { Accusations } from "./accusations.ts";
import type { Block, BlockCodec } from "./block.ts";
import { createBlockCodec } from "./block.ts";
import { Committer, floorAfter } from "./committer.ts";
import type { Effect, Restored, Tuning, ValidatorOptions } from "./contract.ts";
import { LinkChain } from "./link_chain.ts";
import type { OrderStart } from "./order.ts";
import type { OwnState } from "./own_state.ts";
import { DEFAULT_TUNING, Pace } from "./pace.ts";
import { Producer } from "./producer.ts";
import type { StoredBlock } from "./records.ts";
import type { Reach } from "./reach.ts";
import { REACH } from "./reach.ts";
import type { Session } from "./session.ts";
import { SessionEnd } from "./session_end.ts";
import { createSession } from "./session.ts";
import type { AnyStatementKind } from "./statement_kind.ts";
import { statementKinds } from "./statements/mod.ts";
import { Sync } from "./sync.ts";
import type { Tail } from "./tail.ts";
import { decodeTail, orderedIds, restoreOrder } from "./tail.ts";
import type { Term } from "./term.ts";
import { termAfter, termOf } from "./term.ts";
import { unitFacts } from "./unit_facts.ts";
import { OWN } from "./unit_pool.ts";
import { UnitQueue } from "./unit_queue.ts";

/** What stays the same in all sessions of a validator. */
export interface Base {
  /** The id of the own key; undefined for a follower. */
  readonly keyId: string | undefined;
  readonly genesis: Genesis;
  readonly origin: GenesisFacts;
  readonly ledger: Ledger;
  /** By ascending tag. */
  readonly kindList: readonly AnyStatementKind[];
  readonly kinds: ReadonlyMap<string, AnyStatementKind>;
  readonly codec: BlockCodec;
  readonly tuning: Tuning;
  readonly reach: Reach;
  /** Other rules' committees. */
  readonly committee: (real: Committee) => Committee;
  readonly links: LinkChain | undefined;
  readonly pace: Pace;
  readonly queue: UnitQueue;
  readonly accused: Accusations;
}

/** The parts that a validator's steps work with, in one session. */
export interface Parts extends Base {
  readonly session: Session;
  readonly committer: Committer;
  readonly sync: Sync;
  readonly end: SessionEnd;
  /** Undefined for whoever only follows in this session. */
  readonly producer: Producer | undefined;
  /** Ids of held own blocks. */
  readonly ownIds: Set<string>;
  /** The newest own block, to be sent again. */
  resend(): Effect | undefined;
}

/** Where the parts of a session begin. */
interface Begin {
  readonly session: Session;
  readonly header: Header;
  readonly digest: Uint8Array;
  /** The session's last Pulse is executed but not certified: what comes after it. */
  readonly next?: Session | undefined;
  readonly own?: StoredBlock | undefined;
}

/** @throws {SionError} `codec` when what was persisted is damaged. */
export function assemble(options: ValidatorOptions): Parts {
  const base = makeBase(options);
  const { origin } = base;
  const { restored } = options;
  if (restored === undefined) {
    const { header, state } = origin;
    const term = termOf(header, 1, base.genesis);
    const { committee } = validatorSetOf(state);
    const session = sessionOf(base, { term, start: startOf(header, state), members: committee });
    return makeParts(base, { session, header, digest: headerDigest(header) });
  }
  return restore(base, restored);
}

/** The parts of the session after one whose last Pulse is certified; units that wait go along. */
export function nextParts(parts: Parts, session: Session): Parts {
  const { header, digest } = parts.committer;
  session.view.pulseVotes.setCertified(Number(header.number));
  parts.session.view.own.close();
  session.view.own.inherit(parts.session.view.own);
  return makeParts(parts, { session, header, digest });
}

function makeBase({ genesis, ledger, key, ...options }: ValidatorOptions): Base {
  const kindList = [...(options.statements ?? statementKinds)].sort((a, b) => a.tag - b.tag);
  const origin = genesisOf(genesis, ledger);
  const { committee = (real: Committee) => real, reach = REACH } = options;
  const tuning = { ...DEFAULT_TUNING, ...options.tuning };
  if (key !== null && options.chainSeed === undefined) {
    throw new TypeError("Cannot make validator: chainSeed is missing");
  }
  return {
    keyId: key === null ? undefined : validatorId(key),
    genesis,
    origin,
    committee,
    ledger,
    kindList,
    kinds: new Map(kindList.map((kind) => [kind.name, kind])),
    codec: createBlockCodec(ledger, kindList),
    tuning,
    reach,
    links: options.chainSeed === undefined ? undefined : new LinkChain(options.chainSeed),
    pace: new Pace(tuning),
    queue: new UnitQueue(tuning.queueBytes),
    accused: new Accusations(),
  };
}

function startOf(header: Header, state: OrderStart["state"]): OrderStart {
  return {
    state,
    pulse: Number(header.number),
    beacon: header.beacon,
    timeMs: header.timeMs,
    anchorCount: Number(header.anchorCount),
  };
}

/** Where a session begins, and whose it is. */
interface SessionStart {
  readonly term: Term;
  readonly start: OrderStart;
  readonly members: readonly SessionMember[];
  /** The session before. */
  readonly from?: Session;
}

function sessionOf(base: Base, { term, start, members, from }: SessionStart): Session {
  const { genesis, origin, keyId, ledger, kinds, reach } = base;
  const config = configOf(genesis, members, term);
  const place = config.validators.findIndex(({ id }) => id === keyId);
  const self = place < 0 ? null : place;
  return createSession({
    chain: fromHex(origin.chain),
    config,
    committee: base.committee(committeeOf(config.validators)),
    term,
    ledger,
    kinds,
    self,
    start,
    reach,
    ...(from === undefined ? {} : { before: from.order }),
  });
}

function makeParts(base: Base, { session, header, digest, next, own }: Begin): Parts {
  const { links, queue, codec, kindList, genesis, ledger } = base;
  const { self } = session;
  const producer = self === null || links === undefined ? undefined : new Producer({
    self,
    session: session.facts,
    dag: session.dag,
    view: session.view,
    codec,
    kinds: kindList,
    chain: links,
    queue,
    equivocations: session.intake.equivocations,
  });
  const ownIds = new Set<string>();
  const committer = new Committer({
    session,
    genesis,
    ledger,
    header,
    digest,
    state: session.view.state,
    closed: next !== undefined,
    next,
    isQueued: (unit) => queue.has(unit) || producer?.isOffered(unit) === true,
    makeNext: (term, start, members) => sessionOf(base, { term, start, members, from: session }),
    forgotten(nodes) {
      producer?.forgotten(nodes);
      for (const { id } of nodes) ownIds.delete(id);
    },
  });
  const resend = (): Effect | undefined => {
    const { last } = session.view.own;
    if (last === undefined) return undefined;
    const id = toHex(last.id);
    const node = session.dag.get(id);
    const { bytes, signature } = node?.bytes === undefined
      ? own ?? { bytes: undefined, signature: undefined }
      : node;
    if (bytes === undefined || signature === undefined) return undefined;
    return { type: "send", to: "all", message: { type: "block", block: { bytes, signature } } };
  };
  const sync = new Sync(session, { self, retryMs: base.tuning.retryMs, resend });
  const end = new SessionEnd(session);
  return { ...base, session, committer, sync, end, producer, ownIds, resend };
}

/** Puts back order, graph, locks and votes. Blocks whose parents were lost come again from peers. */
function restore(base: Base, restored: Restored): Parts {
  const { ledger, genesis } = base;
  const { header, state } = restored;
  const tail = restored.tail === undefined ? undefined : decodeTail(restored.tail, ledger);
  const isLast = isLastOfSession(header);
  const isOver = isLast && restored.certified >= Number(header.number);
  const current = termOf(header, tail?.firstRound ?? 1, genesis);
  const after = termAfter(current, Number(header.number), genesis);
  const term = isOver ? after : current;
  const { committee, before } = validatorSetOf(state);
  const start = startOf(header, state);
  // The state after a session's last Pulse has the next one's committee already.
  const members = isLast && !isOver ? before : committee;
  const session = sessionOf(base, { term, start, members });
  const goesOn = !isLast || isOver ? tail : undefined;
  const { order, view, dag } = session;
  if (goesOn !== undefined) order.restoreFacts(goesOn.facts);
  else if (isLast) order.restoreFacts({ ...order.facts(), lastAnchor: lastAnchorOf(header) });
  dag.prune(floorAfter(order.lastAnchor, term.firstRound));
  for (const row of restored.rows) {
    view.own.restore(row);
    base.accused.restore(row);
  }
  let next: Session | undefined;
  if (isLast && !isOver && tail !== undefined) {
    next = sessionOf(base, { term: after, start, members: committee });
    next.order.restoreFacts(tail.facts);
    next.order.links.restore(tail.links, tail.leftOutUntil);
    next.order.lanes.inherit(tail.left);
  }
  const own = restored.own?.id === hexOf(view.own.last?.id) ? restored.own : undefined;
  const parts = makeParts(base, {
    session,
    header,
    digest: headerDigest(header),
    next,
    own,
  });
  restoreBlocks(parts, restored, goesOn);
  if (goesOn !== undefined) restoreLanes(parts, goesOn);
  view.own.settle(order.lastAnchor, (account, sequence) => sequence < view.next(account));
  // After a session's last Pulse the tail is that of the next one.
  const { self } = next ?? session;
  if (tail !== undefined && isOutdated(tail, self, view.own)) view.own.setStale();
  restoreVotes(parts, restored);
  return parts;
}

/**
 * Blocks of the own key were ordered that the store does not know of: it is an older copy, or was
 * made anew. Links are shown by ordered blocks alone, and a store holds a block before it leaves.
 */
function isOutdated(tail: Tail, self: number | null, own: OwnState): boolean {
  if (self === null) return false;
  const shown = tail.links[self]?.shown.window ?? 0;
  const ordered = tail.facts.recent.filter(({ author }) => author === self);
  return shown > pulseOfRound(own.newestRound) ||
    ordered.some(({ round }) => round > (own.last?.round ?? 0));
}

const lastAnchorOf = ({ anchors }: Header): number => anchors.at(-1)?.round ?? 0;
const hexOf = (id: Uint8Array | undefined): string | undefined => id && toHex(id);

function restoreBlocks(parts: Parts, restored: Restored, tail: Tail | undefined): void {
  const { session: { dag, intake, facts, view, self }, codec, ledger, producer, ownIds } = parts;
  const ordered = tail === undefined ? new Set<string>() : orderedIds(tail);
  const blocks = [...restored.blocks].filter(({ round }) => round >= dag.floor)
    .sort((a, b) => a.round - b.round || a.author - b.author);
  for (const { bytes, signature } of blocks) {
    const block: Block = codec.decode(bytes, signature);
    if (block.header.session !== facts.session) continue;
    for (const { form } of block.body.units) {
      if (view.pool.has(form)) continue;
      const bytes = restored.unit(form);
      if (bytes === undefined) {
        throw new RangeError(
          `Cannot restore: block ${block.id} names unit ${form}, which is missing`,
        );
      }
      view.pool.add(ledger.decodeSigned(bytes), OWN);
    }
    if (block.header.author === self) ownIds.add(block.id);
    const node = intake.restore(block);
    if (node === undefined) {
      // Its parents were not committed before the crash: they are asked for.
      intake.receive(block, self ?? 0);
      continue;
    }
    node.ordered = ordered.has(node.id);
    producer?.accepted(node);
  }
  const { last } = view.own;
  if (last !== undefined && producer !== undefined) ownIds.add(toHex(last.id));
}

function restoreLanes({ session, ledger }: Parts, tail: Tail): void {
  const { order, dag } = session;
  restoreOrder(
    order,
    tail,
    ({ block, position }) => {
      const node = dag.get(block);
      if (node === undefined) {
        throw new RangeError(`Cannot restore: the stored blocks lack ${block}`);
      }
      return session.factsOf(node, position);
    },
    (signed) => unitFacts(ledger, signed),
  );
}

function restoreVotes({ session: { view } }: Parts, restored: Restored): void {
  view.pulseVotes.setCertified(restored.certified);
  for (const header of restored.uncertified) {
    view.pulseVotes.executed(Number(header.number), {
      header,
      digest: headerDigest(header),
      full: !equalBytes(header.receiptsRoot, EMPTY_ROOT),
    });
  }
}
