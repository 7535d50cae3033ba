/** What moves money: plain payments, payments under a charter, any actions of one wallet. */
import { isHex64, toHex } from "#internal/core/mod.ts";
import type { Unit } from "#internal/ledger/mod.ts";
import { accountMeant, accountNamed, signerNamed } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { chainFacts } from "./chain_facts.ts";
import { withSignal } from "./context.ts";
import { badArgument } from "./errors.ts";
import { keylessSigner } from "./keyless.ts";
import type { JointMember, Plan, SigningPlace } from "./lane.ts";
import { draftOnly, signOnly } from "./lane.ts";
import { finishLeftBehind } from "./left_behind.ts";
import { isLeftBehind } from "./ownership.ts";
import { makeOne, makeTogether, makeUnits, signingPlace } from "./transact.ts";
import type {
  Action,
  AgentPayment,
  JointPayment,
  KeylessPayment,
  OfflineSigned,
  Outcome,
  Payment,
  Transaction,
} from "./types.ts";

/** Body of a payment to one account. */
interface OnePayment {
  readonly asset: string;
  readonly outputs: readonly [readonly [account: string, amount: bigint]];
}

/** One outcome for each action, in order. */
export async function transact(
  context: Context,
  transaction: Transaction,
): Promise<readonly Outcome[]> {
  const { wallet, actions, batch = false } = transaction;
  if (actions.length === 0) return [];
  const facts = await chainFacts(context, transaction.signal);
  const place = await signingPlace(context, facts, wallet, transaction);
  const plans: Plan[] = batch ? [() => actions] : actions.map((action) => () => [action]);
  return (await makeUnits(place, plans, transaction)).flat();
}

/** A payment of USD to one account. */
export async function pay(context: Context, payment: Payment): Promise<Outcome> {
  const resumed = payment.resume ? await resumePayment(context, payment) : undefined;
  if (resumed !== undefined) return resumed;
  const { action, place } = await prepare(context, payment);
  return await makeOne(place, action, payment);
}

/** The outcome of the same payment that an earlier process left unfinished, if it is executed now. */
async function resumePayment(context: Context, payment: Payment): Promise<Outcome | undefined> {
  const facts = await chainFacts(context, payment.signal);
  const payee = await accountNamed(context, facts, payment.to, true);
  const { account } = await signerNamed(context, facts, payment.from);
  const state = await context.state();
  const pending = state.pending({ chain: facts.chain, account });
  if (pending.length === 0) return undefined;
  const ledger = await context.ledger();
  const { USD } = await import("#internal/ledger/mod.ts");
  const unfinished = pending.find((kept) => {
    if (!isLeftBehind(context, kept) || state.isOfBatch(kept.unit)) return false;
    const { unit } = ledger.decodeSigned(kept.bytes);
    return isPayment(unit, { asset: USD, outputs: [[payee.account, payment.amount]] });
  });
  if (unfinished === undefined) return undefined;
  const outcomes = await finishLeftBehind(context, facts, account, {
    wanted: unfinished.unit,
    ...withSignal(payment.signal),
  });
  const outcome = outcomes?.[0];
  if (outcome === undefined) return undefined;
  payment.onOutcome?.(outcome, 0);
  context.note(
    "this was the payment that was left unfinished, nothing more was paid: give --again to pay once more",
  );
  return outcome;
}

/** Whether a unit is this one plain payment and nothing else. */
function isPayment(
  { members }: Unit,
  { asset, outputs: [[account, amount]] }: OnePayment,
): boolean {
  const [member, ...others] = members;
  if (member?.kind !== "pay" || others.length > 0) return false;
  const paid = member.body as OnePayment;
  const [output, ...more] = paid.outputs;
  return more.length === 0 && paid.asset === asset && output[0] === account && output[1] === amount;
}

/** A payment signed for sending later. */
export async function signOffline(context: Context, payment: Payment): Promise<OfflineSigned> {
  const { action, place } = await prepare(context, payment);
  const [signed] = await signOnly(place, [() => [action]], payment);
  return offlineSigned(signed as NonNullable<typeof signed>);
}

/** A unit as it is handed to whoever sends it. */
export function offlineSigned(
  { kept, intent }: Awaited<ReturnType<typeof signOnly>>[number],
): OfflineSigned {
  const { bytes, validUntil } = kept.pending;
  return { digest: kept.digests[0] as string, intent, tx: toHex(bytes), validUntil };
}

/** A payment out of an allotment: the ledger holds it to the charter. */
export async function agentPay(context: Context, payment: AgentPayment): Promise<Outcome> {
  requireIds(payment);
  const facts = await chainFacts(context, payment.signal);
  const action = await agentPayAction(context, facts, payment);
  const place = await signingPlace(context, facts, payment.agent, payment);
  return await makeOne(place, action, payment);
}

/** The fee of a payment out of an allotment, as it would be signed now. */
export async function agentPayFee(context: Context, payment: AgentPayment): Promise<bigint> {
  requireIds(payment);
  const facts = await chainFacts(context, payment.signal);
  const [action, own] = await Promise.all([
    agentPayAction(context, facts, payment),
    signerNamed(context, facts, payment.agent),
  ]);
  const { keyless } = payment;
  const signer = keyless === undefined ? own : await keylessSigner(own, keyless);
  const view = await context.rpc.account({ account: signer.account }, withSignal(payment.signal));
  const [draft] = await draftOnly({ context, facts, signer, view }, [() => [action]], payment);
  return draft?.fee ?? 0n;
}

/**
 * Payments of keyless agents that one wallet signs for, in one unit under one signature, each paying
 * the fee of a member. They execute and fail singly.
 */
export async function payTogether(
  context: Context,
  { wallet, payments, ...options }: JointPayment,
): Promise<readonly Outcome[]> {
  const [first, ...rest] = payments;
  if (first === undefined) return [];
  payments.forEach(requireIds);
  const membersOf = async (): Promise<[JointMember, ...JointMember[]]> => {
    const facts = await chainFacts(context, options.signal);
    const member = async (payment: KeylessPayment): Promise<JointMember> => {
      const acting = { ...options, keyless: payment.agent };
      return {
        action: await agentPayAction(context, facts, payment),
        place: await signingPlace(context, facts, wallet, acting),
      };
    };
    const all: [JointMember, ...JointMember[]] = [await member(first)];
    // One after another: what was left behind in a lane is finished before the next is looked at.
    for (const payment of rest) all.push(await member(payment));
    return all;
  };
  return await makeTogether(await membersOf(), options, membersOf);
}

function requireIds({ charter, allotment, session, call }: Omit<KeylessPayment, "agent">): void {
  requireId("charter", charter);
  requireId("allotment", allotment);
  if ((session === undefined) !== (call === undefined)) {
    throw badArgument("session and call are given both or not at all");
  }
}

async function agentPayAction(
  context: Context,
  facts: ChainFacts,
  { charter, allotment, payee, amount, purpose, session, call }: Omit<KeylessPayment, "agent">,
): Promise<Action> {
  const { account } = await accountNamed(context, facts, payee, true);
  return {
    kind: "agent_pay",
    body: {
      charter,
      allotment,
      payee: account,
      amount,
      purpose,
      session: session ?? null,
      call: call ?? null,
    },
  };
}

/** Looks at the payee and at the payer side by side; what is wrong with the payee is told first. */
async function prepare(
  context: Context,
  payment: Payment,
): Promise<{ readonly action: Action; readonly place: SigningPlace }> {
  const facts = await chainFacts(context, payment.signal);
  const placing = signingPlace(context, facts, payment.from, payment);
  placing.catch(() => {});
  const action = await payAction(context, facts, payment);
  return { action, place: await placing };
}

/** The action of a plain payment; says so when the ledger has never seen the payee. */
async function payAction(
  context: Context,
  facts: ChainFacts,
  { to, amount, signal }: Payment,
): Promise<Action> {
  const { USD } = await import("#internal/ledger/mod.ts");
  const payee = await accountMeant(context, facts, to, "paying makes the account", signal);
  return { kind: "pay", body: { asset: USD, outputs: [[payee, amount]] } };
}

function requireId(what: string, text: string): void {
  if (!isHex64(text)) throw badArgument(`${what} ${text} is no id: give its 64 hex digits`);
}
