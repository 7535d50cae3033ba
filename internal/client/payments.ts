/** What moves money: plain payments, payments under a charter, any actions of one wallet. */
import { isHex64, shortId, toHex } from "#internal/core/mod.ts";
import { accountNamed, resolveAccount } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { chainFacts } from "./chain_facts.ts";
import { badArgument } from "./errors.ts";
import type { Plan, SigningPlace } from "./lane.ts";
import { signOnly } from "./lane.ts";
import { makeUnits, signingPlace } from "./transact.ts";
import type {
  Action,
  AgentPayment,
  OfflineSigned,
  Outcome,
  Payment,
  Transaction,
} from "./types.ts";

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
  const { action, place } = await prepare(context, payment);
  return onlyOutcome(await makeUnits(place, [() => [action]], payment));
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
  const { agent, charter, allotment, amount, purpose, session, call } = payment;
  requireId("charter", charter);
  requireId("allotment", allotment);
  if ((session === undefined) !== (call === undefined)) {
    throw badArgument("session and call are given both or not at all");
  }
  const facts = await chainFacts(context, payment.signal);
  const payee = await accountNamed(context, facts, payment.payee, true);
  const place = await signingPlace(context, facts, agent, payment);
  const body = {
    charter,
    allotment,
    payee: payee.account,
    amount,
    purpose,
    session: session ?? null,
    call: call ?? null,
  };
  return onlyOutcome(await makeUnits(place, [() => [{ kind: "agent_pay", body }]], payment));
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
  const payee = await resolveAccount(context, facts, to, signal);
  if (!payee.seen) {
    const name = payee.name ?? shortId(payee.account);
    context.note(`the ledger has never seen ${name}: paying makes the account`);
  }
  return { kind: "pay", body: { asset: USD, outputs: [[payee.account, amount]] } };
}

function requireId(what: string, text: string): void {
  if (!isHex64(text)) throw badArgument(`${what} ${text} is no id: give its 64 hex digits`);
}

function onlyOutcome(units: readonly (readonly Outcome[])[]): Outcome {
  return units[0]?.[0] as Outcome;
}
