/**
 * A list of payments of one wallet: up to 128 share a signature. The list is in the wallets' file
 * before its first unit is signed, each unit with its place, so that the same list given again after
 * a crash goes on where it was and pays nothing twice.
 */
import {
  encode,
  fromHex,
  id,
  list,
  shortId,
  SionError,
  struct,
  toHex,
  u64,
} from "#internal/core/mod.ts";
import type { ReceiptView } from "#internal/rpc/mod.ts";
import type { BatchStart, BatchUnit, ClientState, LaneKey } from "#internal/store/mod.ts";
import { batchBusy } from "#internal/store/mod.ts";
import { accountNamed, knownNames, signerNamed } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { atPlace, badArgument, batchMade, batchOpen } from "./errors.ts";
import type { Drafted, Plan } from "./lane.ts";
import { draftOnly, signOnly } from "./lane.ts";
import { finishLeftBehind } from "./left_behind.ts";
import { offlineSigned } from "./payments.ts";
import { outcomeOf } from "./receipts.ts";
import { makeUnits, signingPlace } from "./transact.ts";
import type { Action, BatchPayment, BatchResult, OfflineSigned, Outcome } from "./types.ts";

/** Most payments of one list. */
const MAX_BATCH_PAYMENTS = 10_000;
/** Units that are signed at once: as many of the largest as a node takes of one account. */
const UNITS_AT_ONCE = 3;
/** Questions to the node at once. */
const ASKED_AT_ONCE = 16;
/** Payees that the ledger has never seen which are named; of more only how many there are. */
const MAX_NAMED = 4;

const LIST_TAG = "sion/payment-list/v1";
const listCodec = list(struct({ account: id, amount: u64 }), MAX_BATCH_PAYMENTS);

/** What is paid to whom. */
interface Resolved {
  readonly account: string;
  readonly name: string | undefined;
  readonly amount: bigint;
}

/** A part of the list that is one unit. */
interface Part {
  readonly place: number;
  /** Index of its first payment. */
  readonly first: number;
  readonly payments: readonly Resolved[];
}

/** A list that is being paid. */
interface Work {
  readonly context: Context;
  readonly facts: ChainFacts;
  readonly request: BatchPayment;
  readonly id: string;
  readonly parts: readonly Part[];
  readonly outcomes: Outcome[];
}

/** Pays a list, or goes on with it. See `Client.payBatch`. */
export async function payBatch(context: Context, request: BatchPayment): Promise<BatchResult> {
  const facts = await chainFacts(context, request.signal);
  const payments = await resolveAll(context, facts, request);
  const signer = await signerNamed(context, facts, request.from);
  const lane: LaneKey = { chain: facts.chain, account: signer.account };
  await finishLeftBehind(context, facts, signer.account, withSignal(request.signal));
  const state = await context.state();
  const start = await begin(context, state, lane, payments, request);
  const parts = await partsOf(payments);
  const work: Work = { context, facts, request, id: start.batch.batch, parts, outcomes: [] };
  const units = state.batchUnits(work.id);
  const earlier = await tellEarlier(work, units);
  const made = new Set(units.filter(({ state }) => state === "executed").map(({ place }) => place));
  const rest = parts.filter(({ place }) => !made.has(place));
  try {
    await payParts(work, rest);
  } catch (error) {
    if (state.batchUnits(work.id).length > 0) {
      context.note(
        `batch ${shortId(work.id)} is not finished: the same command goes on with it and ` +
          "pays nothing twice",
      );
    }
    throw error;
  }
  return { batch: work.id, outcomes: work.outcomes, earlier };
}

/** A list signed for sending later. See `Client.signBatchOffline`. */
export async function signBatchOffline(
  context: Context,
  request: BatchPayment,
): Promise<readonly OfflineSigned[]> {
  const facts = await chainFacts(context, request.signal);
  const payments = await resolveAll(context, facts, request);
  const place = await signingPlace(context, facts, request.from, withSignal(request.signal));
  await tellUnseen(context, payments, request.signal);
  const plans = (await partsOf(payments)).map(await planMaker());
  return (await signOnly(place, plans, timing(request))).map(offlineSigned);
}

/** @throws {SionError} `batch-open`, `batch-made` */
async function begin(
  context: Context,
  state: ClientState,
  lane: LaneKey,
  payments: readonly Resolved[],
  { from, again = false }: BatchPayment,
): Promise<BatchStart> {
  const { taggedHash } = await import("#internal/crypto/mod.ts");
  const start = await state.startBatch(lane, {
    batch: toHex(context.random(8)),
    list: toHex(taggedHash(LIST_TAG, encode(listCodec, payments))),
    payments: payments.length,
    begunMs: context.clock.nowMs(),
  }, again);
  const { batch, begunMs } = start.batch;
  if (start.type === "other-open") throw batchOpen(from, batch, start.batch.payments);
  if (start.type === "told") {
    const day = new Date(begunMs).toISOString().slice(0, 10);
    throw batchMade(from, { batch, payments: payments.length, day });
  }
  return start;
}

/** Who is paid what; each payee is looked up once. @throws {SionError} that names the payment */
async function resolveAll(
  context: Context,
  facts: ChainFacts,
  { payments }: BatchPayment,
): Promise<readonly Resolved[]> {
  if (payments.length === 0) throw badArgument("the list has no payments: give one or more");
  if (payments.length > MAX_BATCH_PAYMENTS) {
    throw badArgument(
      `the list has ${payments.length} payments: give at most ${MAX_BATCH_PAYMENTS}`,
    );
  }
  const known = new Map<string, { account: string; name?: string }>();
  const resolved: Resolved[] = [];
  for (const [at, { to, amount, source }] of payments.entries()) {
    const where = source ?? `payment ${at + 1}`;
    if (amount <= 0n) throw badArgument(`${where}: an amount must be above 0; nothing was sent`);
    let payee = known.get(to);
    if (payee === undefined) {
      payee = await accountNamed(context, facts, to, true).catch((error: unknown) => {
        throw atPlace(error, where);
      });
      known.set(to, payee);
    }
    resolved.push({ account: payee.account, name: payee.name, amount });
  }
  return resolved;
}

async function partsOf(payments: readonly Resolved[]): Promise<readonly Part[]> {
  const { MAX_MEMBERS } = await import("#internal/ledger/mod.ts");
  return Array.from({ length: Math.ceil(payments.length / MAX_MEMBERS) }, (_, place) => {
    const first = place * MAX_MEMBERS;
    return { place, first, payments: payments.slice(first, first + MAX_MEMBERS) };
  });
}

async function planMaker(): Promise<(part: Part) => Plan> {
  const { USD } = await import("#internal/ledger/mod.ts");
  return ({ payments }) => {
    const actions = payments.map(({ account, amount }): Action => ({
      kind: "pay",
      body: { asset: USD, outputs: [[account, amount]] },
    }));
    return () => actions;
  };
}

function timing({ validForPulses, signal }: BatchPayment) {
  return { ...(validForPulses === undefined ? {} : { validForPulses }), ...withSignal(signal) };
}

/** Signs and sends parts, a few at once, each group when the one before has its receipts. */
async function payParts(work: Work, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  const { context, facts, request } = work;
  const planOf = await planMaker();
  const options = timing(request);
  let place = await signingPlace(context, facts, request.from, options);
  // All that is left is checked before any of it is signed.
  await draftOnly(place, parts.map(planOf), options);
  await tellUnseen(context, parts.flatMap(({ payments }) => payments), request.signal);
  for (let at = 0; at < parts.length; at += UNITS_AT_ONCE) {
    const group = parts.slice(at, at + UNITS_AT_ONCE);
    if (at > 0) {
      const now = await chainFacts(context, request.signal);
      place = await signingPlace(context, now, request.from, options);
    }
    await payGroup(work, place, group, planOf);
  }
}

async function payGroup(
  work: Work,
  place: Awaited<ReturnType<typeof signingPlace>>,
  group: readonly Part[],
  planOf: (part: Part) => Plan,
): Promise<void> {
  const { id, request, parts } = work;
  const indices = group.flatMap(({ first, payments }) => payments.map((_, at) => first + at));
  await makeUnits(place, group.map(planOf), {
    ...timing(request),
    places: group.map(({ place }) => ({ id, place })),
    async onSign({ intent: _, ...signing }, { fee, spend }: Drafted, at: number) {
      const part = group[at] as Part;
      await request.onSign?.({
        ...signing,
        batch: id,
        part: part.place + 1,
        parts: parts.length,
        payments: part.payments.length,
        amount: spend,
        fee,
      });
    },
    onOutcome: (outcome, at) => tell(work, outcome, indices[at] as number),
  });
}

function tell({ outcomes, request }: Work, outcome: Outcome, index: number): void {
  outcomes[index] = outcome;
  request.onOutcome?.(outcome, index);
}

/** Tells the outcomes of what an earlier call had made; how many there are. */
async function tellEarlier(work: Work, units: readonly BatchUnit[]): Promise<number> {
  const made = units.filter(({ state }) => state === "executed");
  if (units.some(({ state }) => state === "pending")) throw batchBusy(work.id);
  const { context, parts, request } = work;
  const total = parts.reduce((sum, { payments }) => sum + payments.length, 0);
  const count = made.reduce((sum, { members }) => sum + members, 0);
  if (count === 0) return 0;
  context.note(`batch ${shortId(work.id)}: ${count} of ${total} payments were made already`);
  const ledger = await context.ledger();
  const names = await knownNames(context, work.facts);
  const { memberDigest } = await import("#internal/ledger/mod.ts");
  for (const { place, unit, members } of made) {
    const digests = Array.from({ length: members }, (_, at) => memberDigest(unit, at));
    const told = await inTurns(
      digests,
      (digest) => context.rpc.receipt({ digest, wait_ms: 0 }, withSignal(request.signal)),
    );
    const tx = told.find((answer) => answer.tx !== undefined)?.tx;
    const signed = tx === undefined ? undefined : ledger.decodeSigned(fromHex(tx));
    for (const [at, { digest, receipt }] of told.entries()) {
      const outcome = outcomeOf(ledger, known(receipt, digest), signed, names);
      tell(work, outcome, (parts[place] as Part).first + at);
    }
  }
  return count;
}

function known(receipt: ReceiptView | undefined, digest: string): ReceiptView {
  if (receipt !== undefined) return receipt;
  throw new SionError(
    "node-error",
    `the node has no receipt of ${digest}, which was executed: ask another node, or later`,
  );
}

/** Says which payees the ledger has never seen: a mistyped name makes an account. */
async function tellUnseen(
  context: Context,
  payments: readonly Resolved[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const payees = new Map(
    payments.map(({ account, name }) => [account, name ?? shortId(account)]),
  );
  const views = await inTurns(
    [...payees.keys()],
    (account) => context.rpc.account({ account }, withSignal(signal)),
  );
  const unseen = views.filter(({ exists }) => !exists).map(({ account }) => payees.get(account));
  if (unseen.length === 0) return;
  const named = unseen.slice(0, MAX_NAMED).join(", ");
  const more = unseen.length > MAX_NAMED ? ` and ${unseen.length - MAX_NAMED} more` : "";
  const made = unseen.length === 1 ? "the account" : "the accounts";
  context.note(`the ledger has never seen ${named}${more}: paying makes ${made}`);
}

/** Asks about each item, so many at once; the answers in the items' order. */
async function inTurns<T, R>(
  items: readonly T[],
  ask: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      answers[at] = await ask(items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, worker));
  return answers;
}
