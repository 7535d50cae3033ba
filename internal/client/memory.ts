/**
 * Memory logs: atoms are remembered in this machine's files, without a node; commits move the ledger's
 * head along a proof that the log grew; what is recalled is checked against that head before it is shown.
 */
import { isHex64, quoteOddWord, shortId, SionError } from "#internal/core/mod.ts";
import { encodeAtom, parseAtomValue, proveRecall } from "#internal/memory/mod.ts";
import {
  atomId,
  boxOf,
  EMPTY_MEMORY_HEAD,
  headOf,
  nodeOver,
  OPEN_END,
  proveGrowth,
  statementOf,
  verifyRecall,
} from "#internal/memory/mod.ts";
import type { Atom, FramedHull, MemoryHead, Place, Point } from "#internal/memory/mod.ts";
import type { LogOwner, MemoryStore } from "#internal/store/mod.ts";
import { accountNamed } from "./accounts.ts";
import { chainFacts, checkPinned } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument, memoryElsewhere, memorySealed, notFound, notProven } from "./errors.ts";
import type { Plan } from "./lane.ts";
import { findObject } from "./objects.ts";
import { makeOne, makeUnits, signingPlace } from "./transact.ts";
import type {
  CommittedMemory,
  KeptMemory,
  MemoryBox,
  MemoryCommit,
  NewAtom,
  NewMemory,
  Recalled,
  RecalledMemory,
  Remembered,
} from "./memory_types.ts";
import type { Abortable, Action, Outcome } from "./types.ts";
import { proveObjectTold } from "./verify.ts";

const KIND = "memory_log";
const PREFIX = /^[0-9a-f]{4,63}$/;
/** The most atoms that one recall shows, so that one answer stays readable. */
const MAX_RECALLED = 1000;
/** How often a commit is made anew when another process's came before it. */
const MAX_TRIES = 3;
const VERIFIED = "complete against the index root the ledger holds";

/** Opens a log on the ledger, and its file here. */
export async function openMemory(context: Context, memory: NewMemory): Promise<Outcome> {
  const facts = await chainFacts(context, memory.signal);
  const agent = memory.agent === undefined
    ? null
    : (await findObject(context, "identity", memory.agent, withSignal(memory.signal))).id;
  const place = await signingPlace(context, facts, memory.wallet, memory);
  const action: Action = { kind: "memory_open", body: { agent } };
  const outcome = await makeOne(place, action, memory);
  const log = outcome.status === "Success" ? outcome.made[0] : undefined;
  if (log !== undefined) {
    using store = (await context.memory()).open(log);
    store.own({ chain: facts.chain, account: place.signer.account, wallet: memory.wallet });
  }
  return outcome;
}

/** Appends an atom to a log's file. Asks the node only about a log that this machine does not know. */
export async function remember(context: Context, given: NewAtom): Promise<Remembered> {
  const atom = atomOf(context, given);
  const bytes = encoded(atom);
  const { log, store } = await ownStore(context, given);
  using opened = store;
  const { size: committed, sealed } = opened.committed();
  if (sealed) throw memorySealed(log);
  const seq = opened.append([bytes], given.outside);
  return { id: atomId(atom), log, seq, size: seq + 1, uncommitted: seq + 1 - committed };
}

/** Moves the ledger's head to what the log's file holds. */
export async function commitMemory(context: Context, commit: MemoryCommit): Promise<Outcome> {
  const { log, store } = await ownStore(context, commit);
  using opened = store;
  for (let tries = 1;; tries++) {
    const outcome = await commitOnce(context, log, opened, commit);
    const { status } = outcome;
    if (status === "Success") return outcome;
    if (tries === MAX_TRIES || !status.Failed.endsWith("the memory log has another head")) {
      return outcome;
    }
  }
}

async function commitOnce(
  context: Context,
  log: string,
  store: MemoryStore,
  { wallet, seal = false, ...options }: MemoryCommit,
): Promise<Outcome> {
  const facts = await chainFacts(context, options.signal);
  const place = await signingPlace(context, facts, wallet, options);
  const known = await committedMemory(context, log, withSignal(options.signal));
  const [ledger, state] = [await context.ledger(), await context.state()];
  store.noteCommitted({ size: known.size, sealed: known.sealed !== null });
  if (known.sealed !== null) throw memorySealed(log);
  const size = store.size;
  const to = headAt(store, size);
  const plan: Plan = () => {
    // What this machine has signed and the ledger has not executed yet comes before.
    const lane = { chain: facts.chain, account: place.signer.account };
    let from: MemoryHead = { size: BigInt(known.size), root: known.root };
    for (const { bytes } of state.pending(lane)) {
      for (const { kind, body } of ledger.decodeSigned(bytes).unit.members) {
        const signed = body as { readonly log: string; readonly to: MemoryHead };
        if (kind === "memory_commit" && signed.log === log) from = signed.to;
      }
    }
    checkHeld(context, log, store, from);
    if (from.size === to.size && !seal) {
      throw badArgument(
        `everything in memory log ${shortId(log)} is committed: remember something first`,
      );
    }
    const proof = proveGrowth(store, Number(from.size), size);
    const body = { log, agent: known.agent, from, to, proof, seal };
    return [{ kind: "memory_commit", body }];
  };
  const [outcomes] = await makeUnits(place, [plan], { ...options });
  const outcome = outcomes?.[0] as Outcome;
  if (outcome.status === "Success") store.noteCommitted({ size, sealed: seal });
  return outcome;
}

/**
 * What a log had recorded in a box as of the ledger's head, checked against it. With a pinned chain the
 * head is proven too, else it is the node's word.
 */
export async function recallMemory(
  context: Context,
  asked: MemoryBox & { readonly log: string },
  options: Abortable = {},
): Promise<Recalled> {
  const box = boxAsked(asked);
  const { id: log } = await findLog(context, asked.log, options);
  const known = context.pinned === undefined
    ? await committedMemory(context, log, options)
    : await provenMemory(context, log, context.pinned, options);
  using store = (await context.memory()).find(log);
  if (store === undefined) throw memoryElsewhere(log, 0, known.size);
  const head = headOfKnown(known);
  checkHeld(context, log, store, head);
  const proof = proofOf(store, known.size, box);
  const value = answer(log, known, box, proof);
  return { value, proof, outside: store.outsideOf(value.atoms.map(({ seq }) => seq)) };
}

/**
 * Checks what somebody else recalled, from the ledger's head alone: the head is proven as a light client
 * does, and no file of the log is needed.
 * @throws {SionError} `not-proven`
 */
export async function verifyMemory(
  context: Context,
  given: MemoryBox & { readonly log: string; readonly proof: Uint8Array },
  options: Abortable & { readonly chain?: string } = {},
): Promise<RecalledMemory> {
  if (!isHex64(given.log)) throw badArgument(`${quoteOddWord(given.log)} is no memory log's id`);
  const box = boxAsked(given);
  const known = await provenMemory(context, given.log, options.chain ?? context.pinned, options);
  return answer(given.log, known, box, given.proof);
}

/** The logs that this machine has files of. Asks no node. */
export async function listMemory(context: Context): Promise<readonly KeptMemory[]> {
  const memory = await context.memory();
  return memory.list().map((log) => {
    using store = memory.open(log);
    const { size: committed, sealed } = store.committed();
    const { size } = store;
    return {
      committed,
      log,
      sealed,
      size,
      uncommitted: Math.max(0, size - committed),
      wallet: store.owner()?.wallet ?? null,
    };
  });
}

function answer(
  log: string,
  known: CommittedMemory,
  box: FramedHull,
  proof: Uint8Array,
): RecalledMemory {
  const verdict = verifyRecall(headOfKnown(known), box, proof);
  if (!verdict.ok) throw notProven(`what memory log ${shortId(log)} had recorded`, verdict.fault);
  return {
    as_of: { index: known.root, pulse: known.committed, size: known.size },
    atoms: verdict.atoms.map(({ seq, id, atom }) => ({
      confidence_permille: atom.confidence,
      id,
      kind: atom.kind,
      seq,
      statement: statementOf(atom),
      valid_from_s: exact(atom.from),
      valid_until_s: atom.until === OPEN_END ? null : exact(atom.until),
    })),
    log,
    proof_bytes: proof.length,
    verified: VERIFIED,
  };
}

/** The log by its id or a beginning of it, as the node has it. */
async function findLog(
  context: Context,
  text: string,
  options: Abortable,
): Promise<{ readonly id: string; readonly object: Readonly<Record<string, unknown>> }> {
  await checkPinned(context, options.signal);
  return await findObject(context, KIND, text, options);
}

/** What the node says that the ledger holds of a log. */
async function committedMemory(
  context: Context,
  log: string,
  options: Abortable,
): Promise<CommittedMemory> {
  return knownOf((await findLog(context, log, options)).object);
}

/** What the ledger holds of a log, proven, once the Pulse that the node names is certified. */
async function provenMemory(
  context: Context,
  log: string,
  chain: string | undefined,
  options: Abortable,
): Promise<CommittedMemory> {
  const { committed } = await committedMemory(context, log, options);
  const { object } = await proveObjectTold(context, log, committed, chain, options);
  if (object?.kind !== KIND) throw notProven(`memory log ${shortId(log)}`, "the ledger has none");
  return knownOf(object.view);
}

function knownOf(object: Readonly<Record<string, unknown>>): CommittedMemory {
  const { owner, agent, size, root, head, committed, sealed } = object;
  return {
    owner: owner as string,
    agent: agent as string | null,
    size: Number(size),
    root: root as string,
    head: Number(head),
    committed: Number(committed),
    sealed: sealed === null ? null : Number(sealed),
  };
}

/** The file of a log that the wallet opened; made where this machine has none. */
async function ownStore(
  context: Context,
  { wallet, log: text, ...options }: { readonly wallet: string; readonly log: string } & Abortable,
): Promise<{ readonly log: string; readonly store: MemoryStore }> {
  const memory = await context.memory();
  const here = memory.list().filter((id) => id === text || startsSo(id, text));
  if (here.length === 1) {
    const log = here[0] as string;
    const store = memory.open(log);
    // A wallet's name is another account on another chain: with one pinned it has to be this one.
    const owner = store.owner();
    const isPinned = context.pinned === undefined || context.pinned === owner?.chain;
    if (owner?.wallet === wallet && isPinned) return { log, store };
    store[Symbol.dispose]();
  }
  const { id: log, object } = await findLog(context, text, withSignal(options.signal));
  const owner = await ownerOf(context, wallet, withSignal(options.signal));
  if (object["owner"] !== owner.account) {
    throw notFound(
      `wallet ${wallet} has no memory log ${shortId(log)}: give the wallet that opened it`,
    );
  }
  const store = memory.open(log);
  store.own(owner);
  const { size, sealed } = knownOf(object);
  store.noteCommitted({ size, sealed: sealed !== null });
  return { log, store };
}

async function ownerOf(context: Context, wallet: string, options: Abortable): Promise<LogOwner> {
  const facts = await chainFacts(context, options.signal);
  const { account } = await accountNamed(context, facts, wallet, false);
  return { chain: facts.chain, account, wallet };
}

function startsSo(id: string, text: string): boolean {
  return PREFIX.test(text) && id.startsWith(text);
}

/** This machine has to have what the head stands for, and nothing else in its place. */
function checkHeld(context: Context, log: string, store: MemoryStore, head: MemoryHead): void {
  const size = Number(head.size);
  if (store.size < size) throw memoryElsewhere(log, store.size, size);
  if (headAt(store, size).root === head.root) return;
  const path = context.shown(`${context.home}/memory/${log}.db`);
  throw notProven(
    `what ${path} holds`,
    `its first ${size} atoms are not those that the ledger has the root of`,
  );
}

function headAt(store: MemoryStore, size: number): MemoryHead {
  return size === 0 ? EMPTY_MEMORY_HEAD : headOf(nodeOver(store, 0, size));
}

function headOfKnown({ size, root }: CommittedMemory): MemoryHead {
  return { size: BigInt(size), root };
}

function proofOf(store: MemoryStore, size: number, box: FramedHull): Uint8Array {
  try {
    return proveRecall(store, size, box, MAX_RECALLED);
  } catch (error) {
    if (!(error instanceof SionError) || error.code !== "many") throw error;
    throw badArgument(
      `over ${MAX_RECALLED} atoms are in this box: ask for a smaller one, or a shorter time`,
      error,
    );
  }
}

/** The atom that was given, with what is not said filled in. */
function atomOf(context: Context, given: NewAtom): Atom {
  const from = BigInt(given.from_s ?? Math.floor(context.clock.nowMs() / 1000));
  const seconds = given.seconds;
  if (seconds !== undefined && seconds < 1) {
    throw badArgument(`an atom cannot hold for ${seconds} seconds: give 1 or more, or none`);
  }
  return {
    kind: given.kind ?? "observation",
    subject: given.subject,
    predicate: given.predicate,
    value: parseAtomValue(given.value),
    confidence: given.confidence_permille ?? 1000,
    from,
    until: seconds === undefined ? OPEN_END : from + BigInt(seconds),
    place: placeOf(given),
  };
}

function placeOf({ at, frame, size }: NewAtom): Place | null {
  if (at === undefined && frame === undefined && size === undefined) return null;
  if (at === undefined || frame === undefined) {
    throw badArgument("a place is a point in a frame: give both, at and frame");
  }
  const half = size ?? [0, 0, 0];
  if (half.some((one) => one < 0)) throw badArgument("half a box's size cannot be below 0");
  const middle = point(at);
  const wide = point(half);
  const axis = (of: (axis: 0 | 1 | 2) => bigint): Point => [of(0), of(1), of(2)];
  return {
    frame,
    min: axis((i) => middle[i] - wide[i]),
    max: axis((i) => middle[i] + (wide[i] === 0n ? 1n : wide[i])),
  };
}

function point(given: readonly number[]): Point {
  const [x, y, z] = given;
  if (given.length !== 3 || x === undefined || y === undefined || z === undefined) {
    throw badArgument(`a point has three coordinates, x, y and z, not ${given.length}`);
  }
  return [BigInt(x), BigInt(y), BigInt(z)];
}

function boxAsked({ frame, min, max, from_s, until_s }: MemoryBox): FramedHull {
  const box = boxOf(
    { frame, min: point(min), max: point(max) },
    BigInt(from_s),
    BigInt(until_s),
  );
  if (frame === "") throw badArgument("a frame has a name: give one, for example warehouse-3");
  if (([0, 1, 2, 3] as const).some((axis) => box.min[axis] >= box.max[axis])) {
    throw badArgument("the box is empty: each end has to be above its beginning");
  }
  return box;
}

/** What cannot be an atom is said in words. */
function encoded(atom: Atom): Uint8Array {
  try {
    return encodeAtom(atom);
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    const fault = error.message.replace(/^Cannot encode( atom)?: /, "");
    throw badArgument(`${fault}: give another value; nothing was remembered`, error);
  }
}

/** A number where it is exact. */
function exact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
