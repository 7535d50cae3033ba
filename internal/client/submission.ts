/** Transactions by their bytes or digests: sent for others, asked after, finished, minted. */
import type { JsonValue } from "#internal/core/mod.ts";
import { fromHex, isHex64, messageOf, shortId } from "#internal/core/mod.ts";
import type { Ledger, Member, Receipt, SignedUnit } from "#internal/ledger/mod.ts";
import type { MethodResult } from "#internal/rpc/mod.ts";
import { MAX_WAIT_MS } from "#internal/rpc/mod.ts";
import type { PendingUnit } from "#internal/store/mod.ts";
import { accountNamed, knownNames } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { chainFacts } from "./chain_facts.ts";
import { withSignal } from "./context.ts";
import { drive } from "./drive.ts";
import {
  badArgument,
  badTransactionHex,
  expired,
  forOtherChain,
  noFaucet,
  notFound,
  refusedByNode,
  stillPending,
} from "./errors.ts";
import type { KeptUnit } from "./lane.ts";
import { finish } from "./left_behind.ts";
import { isLeftBehind } from "./ownership.ts";
import { outcomeOf } from "./receipts.ts";
import { createStandstill } from "./standstill.ts";
import type { Abortable, Outcome, ReceiptValue, Submitted } from "./types.ts";

/** Sends a unit that was signed elsewhere. One of several members answers with its first. */
export async function submitHex(
  context: Context,
  tx: string,
  options: {
    readonly wait?: boolean;
    readonly onIntent?: (intent: string, digest: string) => void;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Submitted> {
  const ledger = await context.ledger();
  const signed = decodeHex(ledger, tx);
  const facts = await chainFacts(context, options.signal);
  if (signed.unit.chain !== facts.chain) throw forOtherChain(facts.chain, signed.unit.chain);
  await checkSignatures(context, facts, ledger, signed);
  const names = await knownNames(context, facts);
  const kept = foreignUnit(context, ledger, signed);
  const digest = kept.digests[0] as string;
  const intent = ledger.intent(signed, names);
  options.onIntent?.(intent, digest);
  if (options.wait === false) {
    await handOver(context, tx, kept, options.signal);
    return { digest, intent };
  }
  const [view] = await drive(context, kept, options.signal);
  if (view === undefined) return { digest, intent };
  const { pulse, receipt, status } = outcomeOf(ledger, view, signed, names);
  return { digest, intent, pulse, receipt, status };
}

/** Hands a unit in once. What a node does not take it may know already: only its receipt tells. */
async function handOver(
  context: Context,
  tx: string,
  { pending, digests }: KeptUnit,
  signal: AbortSignal | undefined,
): Promise<void> {
  const digest = digests[0] as string;
  const answer = await context.rpc.submit({ tx: fromHex(tx) }, withSignal(signal));
  if (answer.answer === "accepted" || answer.by === pending.unit) return;
  const told = await context.rpc.receipt({ digest, wait_ms: 0 }, withSignal(signal));
  if (told.state !== "unknown" && told.state !== "expired") return;
  throw refusedByNode(answer.reason ?? "its place is another transaction's", digest);
}

/** @throws {SionError} `not-found`, `pending`, `expired`, `not-certified`, `not-proven` */
export async function receiptValue(
  context: Context,
  digest: string,
  options: {
    readonly waitMs?: number;
    readonly chain?: string;
    readonly signal?: AbortSignal;
  } = {},
): Promise<ReceiptValue> {
  requireDigest(digest);
  const facts = await chainFacts(context, options.signal);
  const left = await keptHere(context, facts, digest);
  if (left !== undefined && isLeftBehind(context, left)) {
    await finish(context, facts, left, options.signal);
  }
  const waitMs = Math.min(options.waitMs ?? 0, MAX_WAIT_MS);
  if (waitMs > 0) context.waiting(`transaction ${shortId(digest)}`);
  const told = await context.rpc.receipt(
    { digest, wait_ms: waitMs },
    withSignal(options.signal),
  );
  context.waiting(undefined);
  if (told.receipt === undefined) throw withoutReceipt(told);
  const { proveTold } = await import("./verify.ts");
  const proven = await proveTold(context, digest, told.receipt.pulse, options.chain, options);
  const { receipt } = proven;
  const ledger = await context.ledger();
  const member = memberOf(ledger, told.tx, receipt);
  return {
    certificate: proven.certificate,
    chain: proven.chain,
    chain_pinned: proven.pinned,
    digest,
    events: receipt.events as readonly JsonValue[],
    outcome: receipt.outcome.kind === "failed" ? receipt.outcome.reason : receipt.outcome.kind,
    pulse: Number(receipt.pulse),
    receipt: ledger.outcome(receipt, member, await knownNames(context, facts)),
    verified: true,
  };
}

/** The transaction that a proven receipt is of, if the node told it: its digests say so. */
function memberOf(ledger: Ledger, tx: string | undefined, receipt: Receipt): Member | undefined {
  if (tx === undefined) return undefined;
  const { unit } = ledger.decodeSigned(fromHex(tx));
  return ledger.memberDigests(unit)[receipt.index] === receipt.digest
    ? unit.members[receipt.index]
    : undefined;
}

/** The outcome of a transaction that may have been sent, or `undefined` when it never executes. */
export async function settle(
  context: Context,
  digest: string,
  options: Abortable = {},
): Promise<Outcome | undefined> {
  requireDigest(digest);
  const facts = await chainFacts(context, options.signal);
  const kept = await keptHere(context, facts, digest);
  if (kept !== undefined) {
    try {
      const outcomes = await finish(context, facts, kept, options.signal);
      return outcomes.find((outcome) => outcome.digest === digest);
    } catch (error) {
      const state = await context.state();
      if (state.pending(kept).some(({ unit }) => unit === kept.unit)) throw error;
      context.note(messageOf(error));
    }
  }
  const waited = createStandstill(context.clock, digest);
  for (;;) {
    options.signal?.throwIfAborted();
    const told = await context.rpc.receipt({ digest, wait_ms: 0 }, withSignal(options.signal));
    if (told.receipt !== undefined) return await toldOutcome(context, facts, told);
    if (told.state === "unknown" || told.state === "expired") return undefined;
    waited(told.pulse);
    context.waiting(`Pulse ${told.pulse + 1}`);
    await context.rpc.receipt({ digest, wait_ms: MAX_WAIT_MS }, withSignal(options.signal));
    context.waiting(undefined);
  }
}

/** New money on a devnet: the node's operator signs, pays the fee and waits for the receipt. */
export async function faucet(
  context: Context,
  account: string,
  amount: bigint,
  options: Abortable = {},
): Promise<Outcome> {
  const facts = await chainFacts(context, options.signal);
  if (!facts.devnet) throw noFaucet();
  const named = await accountNamed(context, facts, account, true);
  context.waiting("the faucet");
  try {
    const told = await context.rpc.faucet(
      { account: named.account, amount },
      withSignal(options.signal),
    );
    const ledger = await context.ledger();
    const signed = ledger.decodeSigned(fromHex(told.tx));
    return outcomeOf(ledger, told.receipt, signed, await knownNames(context, facts));
  } finally {
    context.waiting(undefined);
  }
}

function decodeHex(ledger: Ledger, tx: string): SignedUnit {
  const digits = tx.trim();
  let bytes: Uint8Array;
  try {
    bytes = fromHex(digits);
  } catch (cause) {
    throw badTransactionHex("its text is not lower-case hex", cause);
  }
  try {
    return ledger.decodeSigned(bytes);
  } catch (cause) {
    throw badTransactionHex("its bytes are not the one encoding of any", cause);
  }
}

async function checkSignatures(
  context: Context,
  facts: ChainFacts,
  ledger: Ledger,
  signed: SignedUnit,
): Promise<void> {
  const { verifyAuthorization } = await import("#internal/ledger/mod.ts");
  const backend = await context.keys.backend(facts.scheme);
  if (await verifyAuthorization(backend, signed, ledger)) return;
  throw badTransactionHex("its signature is not that of its accounts");
}

/** A unit to take to its receipt that is not this machine's to keep. */
function foreignUnit(context: Context, ledger: Ledger, signed: SignedUnit): KeptUnit {
  const { unit } = signed;
  const [first] = unit.members;
  const pending: PendingUnit = {
    chain: unit.chain,
    account: first?.account ?? "",
    sequence: first?.sequence ?? 0n,
    members: unit.members.length,
    wallet: shortId(first?.account ?? ""),
    unit: ledger.unitDigest(unit),
    bytes: ledger.encodeSigned(signed),
    cost: 0n,
    validUntil: unit.validUntil,
    owner: context.processId,
    touchedMs: context.clock.nowMs(),
  };
  return { pending, signed, digests: ledger.memberDigests(unit) };
}

async function keptHere(
  context: Context,
  facts: ChainFacts,
  digest: string,
): Promise<PendingUnit | undefined> {
  const units = (await context.state()).pendingOf(facts.chain);
  if (units.length === 0) return undefined;
  const { memberDigest } = await import("#internal/ledger/mod.ts");
  const membersOf = (unit: string): number =>
    units.reduce((sum, kept) => sum + (kept.unit === unit ? kept.members : 0), 0);
  return units.find(({ unit }) =>
    Array.from({ length: membersOf(unit) }, (_, index) => memberDigest(unit, index))
      .includes(digest)
  );
}

async function toldOutcome(
  context: Context,
  facts: ChainFacts,
  told: MethodResult<"receipt">,
): Promise<Outcome> {
  const ledger = await context.ledger();
  const signed = told.tx === undefined ? undefined : ledger.decodeSigned(fromHex(told.tx));
  const names = await knownNames(context, facts);
  return outcomeOf(ledger, told.receipt as NonNullable<typeof told.receipt>, signed, names);
}

function withoutReceipt({ digest, state, pulse }: MethodResult<"receipt">): Error {
  if (state === "unknown") {
    return notFound(`the ledger knows no transaction ${shortId(digest)}: check the digest`);
  }
  return state === "expired"
    ? expired(digest, BigInt(pulse))
    : stillPending(digest, state === "final");
}

function requireDigest(digest: string): void {
  if (isHex64(digest)) return;
  throw badArgument(`${digest} is no transaction digest: give its 64 hex digits`);
}
