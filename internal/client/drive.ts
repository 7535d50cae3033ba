/**
 * Taking a kept unit to its receipt: handed in again and again the same until the ledger has it or
 * never will. The unit is forgotten only when one of the two is certain.
 */
import { fromHex, SionError } from "#internal/core/mod.ts";
import type { Digest } from "#internal/core/mod.ts";
import type { MethodResult, ReceiptView } from "#internal/rpc/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { answerLost, expired, notHandedOn, refusedByNode, taken } from "./errors.ts";
import type { KeptUnit } from "./lane.ts";
import { isLeftBehind } from "./ownership.ts";
import { isNodeGone, isUnconnected } from "./rpc.ts";
import { createStandstill } from "./standstill.ts";

/** One long poll for a receipt, ms: also how often others hear that the unit is taken care of. */
const POLL_MS = 4_000;
/** How long a node may be gone before the answer counts as lost, ms. */
const GONE_LIMIT_MS = 15_000;
/** The same of a node that reaches no validator: one that has just started soon does. */
const UNCONNECTED_LIMIT_MS = 3_000;
const GONE_RETRY_MS = 250;
/** How soon to hand in again what waits for an earlier unit of the lane, ms. */
const TURN_RETRY_MS = 50;

type Told = MethodResult<"receipt">;

/** Where one unit's journey is. */
interface Journey {
  readonly context: Context;
  readonly kept: KeptUnit;
  readonly digest: Digest;
  readonly signal: AbortSignal | undefined;
  /** The newest Pulse that the node told of. */
  head: number;
  /** Whether a node said that it took the unit. */
  accepted: boolean;
  /** Whether another unit of the account's was said to hold its slot. */
  rivalled: boolean;
  /** Since when no node answers; undefined while one does. */
  goneSinceMs: number | undefined;
  /** Is told the newest Pulse of each answer that leaves the unit waiting. */
  readonly waited: (pulse: number) => void;
}

/**
 * The receipts of a kept unit's members, once it is executed.
 * @throws {SionError} `expired`, `taken`, `refused` (it never executes and is forgotten);
 * `answer-lost`, `stalled`, or the signal's reason (not known; it stays kept).
 */
export async function drive(
  context: Context,
  kept: KeptUnit,
  signal?: AbortSignal,
): Promise<readonly ReceiptView[]> {
  const digest = kept.digests[0] as Digest;
  const journey: Journey = {
    context,
    kept,
    digest,
    signal,
    head: 0,
    accepted: false,
    rivalled: false,
    goneSinceMs: undefined,
    waited: createStandstill(context.clock, digest),
  };
  context.work.units.add(kept.pending.unit);
  try {
    const first = await travel(journey);
    const rest = kept.digests.slice(1).map((digest) => fetchReceipt(context, digest));
    const receipts = [first, ...await Promise.all(rest)];
    await (await context.state()).settle(kept.pending, "executed");
    return receipts;
  } finally {
    context.work.units.delete(kept.pending.unit);
    context.work.ring();
    if (context.work.units.size === 0) context.waiting(undefined);
  }
}

async function travel(journey: Journey): Promise<ReceiptView> {
  let handedIn = false;
  for (;;) {
    journey.signal?.throwIfAborted();
    try {
      if (!handedIn) {
        await inTurn(journey, () => handIn(journey));
        handedIn = true;
      }
      const told = await ask(journey, journey.accepted ? POLL_MS : 0);
      if (told.state === "executed" && told.receipt !== undefined) return told.receipt;
      handedIn = !await mustHandInAgain(journey, told);
      journey.waited(told.pulse);
    } catch (error) {
      if (!isNodeGone(error) && !isUnconnected(error)) throw error;
      await endureGoneNode(journey, error);
      handedIn = false;
    }
  }
}

/** Hands units of one lane in one after another, in the order in which they were kept. */
async function inTurn(journey: Journey, body: () => Promise<void>): Promise<void> {
  const { work } = journey.context;
  const { account } = journey.kept.pending;
  const before = work.handedIn.get(account) ?? Promise.resolve();
  const turn = before.then(body);
  const quiet = turn.catch(() => {});
  work.handedIn.set(account, quiet);
  try {
    await turn;
  } finally {
    if (work.handedIn.get(account) === quiet) work.handedIn.delete(account);
  }
}

async function handIn(journey: Journey): Promise<void> {
  const { context, kept, signal } = journey;
  const { pending } = kept;
  const answer = await context.rpc.submit({ tx: pending.bytes }, withSignal(signal));
  journey.head = answer.pulse;
  journey.accepted = answer.answer === "accepted" || answer.by === pending.unit;
  if (journey.accepted) return;
  if (answer.answer === "locked" && answer.by !== undefined) {
    journey.rivalled = true;
    await completeRival(journey, answer.by);
  } else {
    await afterRefusal(journey, answer.reason ?? "it gave no reason");
  }
}

/** The slot is another unit's of the same account: the lane goes on only when that one is done. */
async function completeRival(journey: Journey, rival: string): Promise<void> {
  const { context, signal } = journey;
  for (;;) {
    // Known by its unit's digest, not by a transaction's: the first member stands for it.
    const { memberDigest } = await import("#internal/ledger/mod.ts");
    const digest = memberDigest(rival, 0);
    const told = await context.rpc.receipt({ digest, wait_ms: POLL_MS }, withSignal(signal));
    if (told.state === "executed" || told.state === "expired") return;
    if (told.tx === undefined) return await sleep(TURN_RETRY_MS, signal);
    journey.waited(told.pulse);
    await context.rpc.submit({ tx: fromHex(told.tx) }, withSignal(signal));
    await touch(journey);
  }
}

/** A refusal is final only when nothing of the lane goes before and the ledger knows no receipt. */
async function afterRefusal(journey: Journey, reason: string): Promise<void> {
  const { context, kept, digest } = journey;
  const told = await ask(journey, 0);
  if (told.state === "executed" || told.state === "pending" || told.state === "final") return;
  await throwIfOver(journey, told);
  const state = await context.state();
  const earlier = state.pending(kept.pending).some(({ sequence }) =>
    sequence < kept.pending.sequence
  );
  if (earlier) {
    await context.work.wait(TURN_RETRY_MS);
    return;
  }
  await state.settle(kept.pending, "never");
  throw refusedByNode(reason, digest);
}

async function ask(journey: Journey, waitMs: number): Promise<Told> {
  const { context, digest, signal } = journey;
  if (waitMs > 0) context.waiting(`Pulse ${journey.head + 1}`);
  const told = await context.rpc.receipt({ digest, wait_ms: waitMs }, withSignal(signal));
  journey.goneSinceMs = undefined;
  journey.head = told.pulse;
  if (told.state === "pending" || told.state === "final") {
    await touch(journey);
    await nudgeEarlier(journey);
  }
  return told;
}

/** What goes before in the lane holds this unit up; nobody else hands in what was left behind. */
async function nudgeEarlier({ context, kept, signal }: Journey): Promise<void> {
  const state = await context.state();
  for (const unit of state.pending(kept.pending)) {
    if (unit.sequence >= kept.pending.sequence) return;
    if (!isLeftBehind(context, unit)) continue;
    await context.rpc.submit({ tx: unit.bytes }, withSignal(signal));
  }
}

/** @throws {SionError} `expired` when the unit's last Pulse has passed without it. */
async function throwIfOver({ context, kept, digest }: Journey, told: Told): Promise<void> {
  const { pending } = kept;
  const late = told.state === "unknown" && BigInt(told.pulse) > pending.validUntil;
  if (told.state !== "expired" && !late) return;
  await (await context.state()).settle(pending, "never");
  throw expired(digest, pending.validUntil);
}

/** @throws {SionError} when the unit never executes. */
async function mustHandInAgain(journey: Journey, told: Told): Promise<boolean> {
  const { context, kept, digest } = journey;
  const { pending } = kept;
  await throwIfOver(journey, told);
  if (told.state !== "unknown") {
    journey.accepted = true;
    return false;
  }
  journey.accepted = false;
  const view = await context.rpc.account({ account: pending.account }, withSignal(journey.signal));
  if (view.sequence > pending.sequence) {
    // Between the two answers it may have been executed: the receipt decides.
    const again = await ask(journey, 0);
    if (again.state === "unknown" || again.state === "expired") {
      await (await context.state()).settle(pending, "taken");
      throw taken(digest, pending.wallet, journey.rivalled);
    }
  }
  return true;
}

async function endureGoneNode(journey: Journey, error: unknown): Promise<void> {
  const { context, digest, signal } = journey;
  const nowMs = context.clock.nowMs();
  journey.goneSinceMs ??= nowMs;
  const unconnected = isUnconnected(error);
  if (nowMs - journey.goneSinceMs >= (unconnected ? UNCONNECTED_LIMIT_MS : GONE_LIMIT_MS)) {
    throw unconnected ? notHandedOn(digest, error) : answerLost(digest, journey.accepted, error);
  }
  context.waiting("the node");
  await sleep(GONE_RETRY_MS, signal);
}

async function touch({ context, kept }: Journey): Promise<void> {
  await (await context.state()).touch(kept.pending, context.processId, context.clock.nowMs());
}

async function fetchReceipt(context: Context, digest: string): Promise<ReceiptView> {
  const told = await context.rpc.receipt({ digest, wait_ms: POLL_MS });
  if (told.receipt === undefined) {
    throw new SionError("node-error", `the node has no receipt of ${digest}: ask it again later`);
  }
  return told.receipt;
}
