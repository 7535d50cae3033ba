/** What a validator keeps of each Pulse to prove it later, and how proofs are made of it. */
import type { AccountId } from "#internal/core/mod.ts";
import {
  concatBytes,
  decode,
  encode,
  equalBytes,
  list,
  struct,
  u32,
  u8,
  union,
} from "#internal/core/mod.ts";
import type { Block, BlockCodec, Lock, PulseEffect } from "#internal/consensus/mod.ts";
import { accountKey } from "#internal/ledger/mod.ts";
import { MerkleLog } from "#internal/merkle/mod.ts";
import type {
  LaneLock,
  LockItem,
  LocksPage,
  SessionStep,
  SignedHeader,
} from "#internal/proofs/mod.ts";
import {
  encodeStatement,
  locksPageCodec,
  MAX_COMMITTEE,
  MAX_PAGE_LOCKS,
  proveState,
  pulseCertificateCodec,
  sessionConfigCodec,
  STATEMENT_TAGS,
  statementLeaf,
  stateProofCodec,
  stopStatementCodec,
  unitStatementCodec,
} from "#internal/proofs/mod.ts";
import { MAX_PAGE_BYTES, RpcError } from "#internal/rpc/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";

const byCodec = list(struct({ author: u8, round: u32 }), MAX_COMMITTEE);
/** How locks are kept: who said it, in which round. The blocks have the rest. */
const keptLocksCodec = list(union({ votes: [0, byCodec], stops: [1, byCodec] }));

/** Locks as a store keeps them. */
export function encodeKeptLocks(locks: readonly Lock[]): Uint8Array {
  return encode(keptLocksCodec, locks.map(({ type, by }) => ({ kind: type, body: by })));
}

/** Locks as they were kept. */
export function decodeKeptLocks(bytes: Uint8Array): Lock[] {
  return decode(keptLocksCodec, bytes).map(({ kind, body }) => ({ type: kind, by: body }));
}

/** The proof that is kept of a Pulse: of the account of its first receipt, else of some account. */
export function sampleProof({ receipts, state }: PulseEffect, someAccount: AccountId): Uint8Array {
  const key = accountKey(receipts[0]?.account ?? someAccount);
  return encode(stateProofCodec, proveState(state, key, state.bytes(key)));
}

/** The ends of sessions that are over, in order. @param from the first session. */
export function* sessionSteps(store: NodeState, from: number): Generator<SessionStep> {
  for (let session = from;; session++) {
    const end = store.endOfSession(session);
    const bytes = end && store.certificate(end.number);
    if (end === undefined || bytes === undefined) return;
    const certificate = decode(pulseCertificateCodec, bytes);
    yield { certificate, next: decode(sessionConfigCodec, end.next) };
  }
}

/** What a lock is of: a unit by its digest, or a slot. */
export type LockedThing =
  | { readonly unit: string }
  | { readonly account: AccountId; readonly sequence: bigint };

/** What a page of locks is made from. */
export interface LocksRequest {
  readonly session: number;
  /** From the place asked for on. */
  readonly locks: readonly Lock[];
  readonly things: readonly LockedThing[];
}

/**
 * As many locks as fit a page, taken from the stored blocks.
 * @throws {RpcError} `not-found` when a block is not kept any more.
 */
export function makeLocksPage(
  request: LocksRequest,
  store: NodeState,
  codec: BlockCodec,
): Uint8Array {
  const book = new StatementBook(request.session, store, codec);
  const locks: LaneLock[] = [];
  for (const [i, lock] of request.locks.slice(0, MAX_PAGE_LOCKS).entries()) {
    const mark = book.mark();
    locks.push(laneLock(lock, request.things[i] as LockedThing, book));
    if (book.bytes > MAX_PAGE_BYTES && i > 0) {
      locks.pop();
      book.backTo(mark);
      break;
    }
  }
  const page: LocksPage = { blocks: book.headers, locks };
  return encode(locksPageCodec, page);
}

function laneLock({ type, by }: Lock, thing: LockedThing, book: StatementBook): LaneLock {
  if (type === "votes" && "unit" in thing) {
    const vote = encodeStatement(STATEMENT_TAGS.vote, unitStatementCodec, thing);
    const items = by.map((at) => book.item(at, (encoded) => equalBytes(encoded, vote)).item);
    return { kind: "votes", body: { items } };
  }
  if ("unit" in thing) throw new TypeError("Cannot keep a lock: Stops settle a slot, not a unit");
  const slot = encode(stopStatementCodec, { ...thing, named: null });
  // Tag, account and sequence: all but what it names.
  const start = concatBytes(Uint8Array.of(STATEMENT_TAGS.stop), slot.subarray(0, -1));
  const items = by.map((at) => {
    const { item, encoded } = book.item(
      at,
      (encoded) => equalBytes(encoded.subarray(0, start.length), start),
    );
    return { ...item, named: decode(stopStatementCodec, encoded.subarray(1)).named };
  });
  return { kind: "stops", body: { items } };
}

/** A block with its statements' tree. */
interface Page {
  readonly block: Block;
  readonly log: MerkleLog;
}

/** The blocks that a page's statements stand in. */
class StatementBook {
  readonly #session: number;
  readonly #store: NodeState;
  readonly #codec: BlockCodec;
  readonly #pages = new Map<string, readonly Page[]>();
  readonly #places = new Map<string, number>();
  readonly headers: SignedHeader[] = [];
  /** Bytes of the page so far, about. */
  bytes = 0;

  constructor(session: number, store: NodeState, codec: BlockCodec) {
    this.#session = session;
    this.#store = store;
    this.#codec = codec;
  }

  mark(): { readonly headers: number; readonly bytes: number } {
    return { headers: this.headers.length, bytes: this.bytes };
  }

  backTo({ headers, bytes }: ReturnType<StatementBook["mark"]>): void {
    this.headers.length = headers;
    this.bytes = bytes;
    for (const [id, place] of this.#places) if (place >= headers) this.#places.delete(id);
  }

  /** The statement of an author's block of a round that fits, in the newest session that has one. */
  item(
    { author, round }: Lock["by"][number],
    fits: (encoded: Uint8Array) => boolean,
  ): { readonly item: LockItem; readonly encoded: Uint8Array } {
    for (const { block, log } of this.#blocks(author, round)) {
      const index = block.encoded.findIndex(fits);
      if (index < 0) continue;
      const path = log.proveInclusion(index);
      this.bytes += 16 + 32 * path.length;
      const item = { block: this.#place(block), index, count: block.encoded.length, path };
      return { item, encoded: block.encoded[index] as Uint8Array };
    }
    throw new RpcError("not-found", `A block of round ${round} is not kept here any more`);
  }

  #place(block: Block): number {
    const known = this.#places.get(block.id);
    if (known !== undefined) return known;
    const { header, signature } = block;
    this.headers.push({ header, signature });
    this.bytes += signature.length + 300 + 37 * header.parents.length;
    this.#places.set(block.id, this.headers.length - 1);
    return this.headers.length - 1;
  }

  #blocks(author: number, round: number): readonly Page[] {
    const key = `${author}/${round}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const found: Page[] = [];
    for (const stored of this.#store.blocksOfRounds(round, round)) {
      if (stored.author !== author) continue;
      const block = this.#codec.decode(stored.bytes, stored.signature);
      if (block.header.session > this.#session) continue;
      const log = new MerkleLog();
      for (const encoded of block.encoded) log.append(statementLeaf(encoded));
      found.push({ block, log });
    }
    found.sort((a, b) => b.block.header.session - a.block.header.session);
    this.#pages.set(key, found);
    return found;
  }
}
