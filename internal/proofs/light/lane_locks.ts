/**
 * Who locked what a Pulse executed: of each unit Votes of a quorum, of each slot that was settled
 * (and of each forced unit) Stops of a quorum. Many statements stand in few blocks, so the signed
 * headers are given once.
 */
import type { Codec } from "#internal/core/mod.ts";
import {
  bytes32,
  equalBytes,
  id,
  list,
  option,
  shortId,
  struct,
  u32,
  union,
} from "#internal/core/mod.ts";
import type { Slot, Unit } from "#internal/ledger/mod.ts";
import { verifyLogInclusion } from "#internal/merkle/mod.ts";
import type { BlockHeader } from "#internal/ledger/mod.ts";
import { blockId, statementLeaf } from "#internal/ledger/mod.ts";
import type { CertificateContext } from "../certificate.ts";
import type { SignedHeader } from "../equivocation.ts";
import { signedHeaderCodec } from "../equivocation.ts";
import type { Header } from "../header.ts";
import { firstRoundOf, lastRoundOf } from "../header.ts";
import {
  encodeStatement,
  STATEMENT_TAGS,
  stopStatementCodec,
  unitStatementCodec,
} from "#internal/ledger/mod.ts";
import { MAX_COMMITTEE } from "../validator_set.ts";
import type { KnownSession } from "./session_walk.ts";

/** Bound of one page's encoding. */
export const MAX_LOCKS_BYTES = 1 << 22;
/** Locks of one page. */
export const MAX_PAGE_LOCKS = 4096;
const MAX_PAGE_BLOCKS = 4096;

/** A statement's place under a block of the page. */
export interface LockItem {
  /** Index into the page's blocks. */
  readonly block: number;
  /** Place of the statement among the block's, and their number. */
  readonly index: number;
  readonly count: number;
  readonly path: readonly Uint8Array[];
}

/** A Stop names the unit that had its vote quorum, so each one's statement differs. */
export interface StopItem extends LockItem {
  readonly named: string | null;
}

/** What decided one unit or slot. */
export type LaneLock =
  | { readonly kind: "votes"; readonly body: { readonly items: readonly LockItem[] } }
  | { readonly kind: "stops"; readonly body: { readonly items: readonly StopItem[] } };

/** Locks of a run of the certified order. */
export interface LocksPage {
  readonly blocks: readonly SignedHeader[];
  readonly locks: readonly LaneLock[];
}

/** What was executed, as far as its lock depends on it. */
export type Lockable =
  | {
    readonly type: "unit";
    readonly unit: Unit;
    readonly digest: string;
    readonly slots: readonly Slot[];
    readonly forced: boolean;
  }
  | { readonly type: "void"; readonly slots: readonly Slot[] };

const itemFields = { block: u32, index: u32, count: u32, path: list(bytes32, 32) };

/** The encoding in which nodes serve a page. */
export const locksPageCodec: Codec<LocksPage> = struct({
  blocks: list(signedHeaderCodec, MAX_PAGE_BLOCKS),
  locks: list(
    union({
      votes: [0, struct({ items: list(struct(itemFields), MAX_COMMITTEE) })],
      stops: [
        1,
        struct({ items: list(struct({ ...itemFields, named: option(id) }), MAX_COMMITTEE) }),
      ],
    }),
    MAX_PAGE_LOCKS,
  ),
});

/** What a page is checked against. */
export interface LocksContext {
  /** Of the Pulse. */
  readonly header: Header;
  /**
   * A session that is proven: the Pulse's, or one before it, which may have left what it decided to
   * be executed in this one.
   */
  readonly sessionOf: (session: number) => KnownSession | undefined;
  readonly chain: Uint8Array;
  readonly backend: CertificateContext["backend"];
}

/**
 * What is wrong with a page: one lock for each of `executed`, all statements signed, by distinct
 * members of one committee, of a quorum, in rounds that count.
 */
export async function locksFault(
  page: LocksPage,
  executed: readonly Lockable[],
  context: LocksContext,
): Promise<string | undefined> {
  if (page.locks.length !== executed.length) return "locks are missing";
  const checked = new Map<number, string | undefined>();
  for (const [i, lock] of page.locks.entries()) {
    const what = executed[i] as Lockable;
    const fault = lockFault(lock, what, page.blocks, context);
    if (fault !== undefined) return `${nameOf(what)}: ${fault}`;
    for (const { block } of lock.body.items) {
      if (!checked.has(block)) {
        checked.set(block, await signatureFault(page.blocks[block], context));
      }
      const invalid = checked.get(block);
      if (invalid !== undefined) return `${nameOf(what)}: ${invalid}`;
    }
  }
  return checked.size < page.blocks.length ? "a block in it has no part in any lock" : undefined;
}

function nameOf(what: Lockable): string {
  if (what.type === "unit") return `transaction unit ${shortId(what.digest)}`;
  const [slot] = what.slots;
  return `slot ${slot?.sequence} of ${shortId(slot?.account ?? "")}`;
}

/** All but the signatures. */
function lockFault(
  lock: LaneLock,
  what: Lockable,
  blocks: readonly SignedHeader[],
  { header, sessionOf, chain }: LocksContext,
): string | undefined {
  const voted = what.type === "unit" && !what.forced;
  if ((lock.kind === "votes") !== voted) return "it is locked by statements of another kind";
  const first = blocks[lock.body.items[0]?.block ?? 0]?.header;
  const session = first && first.session <= header.session ? sessionOf(first.session) : undefined;
  if (session === undefined) return "nobody of the session locked it";
  const bound = Math.min(boundIn(what, header), lastRoundOf(Number(header.number)) + 1);
  let signers = 0;
  for (const item of lock.body.items) {
    const block = blocks[item.block]?.header;
    if (block === undefined) return "a block is missing";
    const fault = placeFault(block, chain, session, bound);
    if (fault !== undefined) return fault;
    if ((signers & (1 << block.author)) !== 0) return `validator ${block.author} counts twice`;
    signers |= 1 << block.author;
    const leaf = statementLeaf(statementOf(what, "named" in item ? item : undefined));
    const { index, count, path } = item;
    if (!verifyLogInclusion(block.statementsRoot, count, index, leaf, path)) {
      return `block ${round(block)} does not hold the statement`;
    }
  }
  const { committee } = session;
  if (committee.isQuorum(signers)) return undefined;
  return `${committee.weightOf(signers)} of ${committee.total} stake locked it, ` +
    `the quorum is ${committee.quorum}`;
}

/** The first round in which a Vote on a unit does not count; Stops have no such bound. */
function boundIn(what: Lockable, { sessionEnd }: Header): number {
  if (what.type === "void" || what.forced) return Infinity;
  const close = sessionEnd === null ? Infinity : firstRoundOf(Number(sessionEnd));
  return Math.min(firstRoundOf(Number(what.unit.validUntil)), close);
}

function placeFault(
  block: BlockHeader,
  chain: Uint8Array,
  { config, committee }: KnownSession,
  bound: number,
): string | undefined {
  if (!equalBytes(block.chain, chain)) return "a block is of another chain";
  if (block.session !== config.session) return "its blocks are of several sessions";
  if (block.author >= committee.members.length) return "a block is of no validator";
  if (block.round >= bound) return `block ${round(block)} is too late to count`;
  return undefined;
}

function statementOf(what: Lockable, stop: StopItem | undefined): Uint8Array {
  if (what.type === "unit" && !what.forced) {
    return encodeStatement(STATEMENT_TAGS.vote, unitStatementCodec, { unit: what.digest });
  }
  const [slot] = what.slots;
  return encodeStatement(STATEMENT_TAGS.stop, stopStatementCodec, {
    account: slot?.account ?? "",
    sequence: slot?.sequence ?? 0n,
    named: stop?.named ?? null,
  });
}

async function signatureFault(
  signed: SignedHeader | undefined,
  { sessionOf, backend }: LocksContext,
): Promise<string | undefined> {
  const session = signed && sessionOf(signed.header.session);
  const member = signed && session?.committee.members[signed.header.author];
  const holds = signed !== undefined && member !== undefined &&
    await backend.verify(member.publicKey, blockId(signed.header), signed.signature);
  return holds ? undefined : `a signature of validator ${signed?.header.author} is invalid`;
}

function round(block: BlockHeader): string {
  return `${block.author} of round ${block.round}`;
}
