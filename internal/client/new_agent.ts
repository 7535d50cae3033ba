/** A new agent in one go: its identity, a charter and an allotment for it, and fee money. */
import { MICRO_PER_USD, shortId } from "#internal/core/mod.ts";
import { accountNamed } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { chainFacts } from "./chain_facts.ts";
import { withSignal } from "./context.ts";
import { badArgument } from "./errors.ts";
import type { Plan } from "./lane.ts";
import { makeUnits, signingPlace } from "./transact.ts";
import type { Action, CreatedAgent, NewAgent } from "./types.ts";

/** Fee money an agent gets unless said otherwise: 0.1 USD, some ninety payments. */
const DEFAULT_FEES = MICRO_PER_USD / 10n;

/** What the bucket's refill counts in when there is none; the ledger wants a period all the same. */
const NO_REFILL = { amount: 0n, periodMs: 86_400_000n };

/**
 * Registers the agent, gives it a charter (which asks for a receipt claim of every payment) and an
 * allotment when there is a budget, and moves fee money to its account: an allotment pays no fees.
 * Each is a transaction of the principal's; all are signed before the first is sent, so that a
 * process that ends in between leaves nothing half made: the next one sends the rest.
 */
export async function createAgent(context: Context, agent: NewAgent): Promise<CreatedAgent> {
  const { objectId, USD } = await import("#internal/ledger/mod.ts");
  const facts = await chainFacts(context, agent.signal);
  checkTerms(agent);
  const account = await accountNamed(context, facts, agent.wallet, true);
  const payees = await payeeAccounts(context, facts, agent.payees);
  const place = await signingPlace(context, facts, agent.principal, agent);
  if (account.account === place.signer.account) {
    throw badArgument(
      `${agent.wallet} cannot stand above itself: give the agent a wallet of its own`,
    );
  }
  const called = nameOf(agent, account.name);
  await requireNewNames(context, {
    principal: place.signer.account,
    by: agent.principal,
    names: called === "" ? [] : [called],
    signal: agent.signal,
  });
  const made: { agent?: string; charter?: string; allotment?: string } = {};
  const plans: Plan[] = [() => [registration(agent, account.account, account.name)]];
  if (agent.budget !== undefined) {
    const { budget } = agent;
    plans.push((earlier) => {
      made.agent = objectId(earlier[0]?.digests[0] as string, 0);
      return [charter(agent, made.agent, budget, payees, place.facts.head)];
    }, (earlier) => {
      made.charter = objectId(earlier[1]?.digests[0] as string, 0);
      return [allotment(made.charter, budget)];
    });
  }
  const fees = agent.fees ?? DEFAULT_FEES;
  if (fees > 0n) plans.push(() => [feeMoney(account.account, USD, fees)]);
  const units = await makeUnits(place, plans, agent);
  const ids = units.map((outcomes) => outcomes[0]?.digest).map((digest) =>
    objectId(digest as string, 0)
  );
  return {
    agent: ids[0] as string,
    ...(agent.budget === undefined
      ? {}
      : { charter: ids[1] as string, allotment: ids[2] as string }),
    outcomes: units.flat(),
  };
}

function checkTerms({ budget, maxPayment, payees, refill, expiresInPulses }: NewAgent): void {
  const terms = {
    maxPayment,
    payees: payees?.length ? payees : undefined,
    refill,
    expiresInPulses,
  };
  if (budget !== undefined || Object.values(terms).every((term) => term === undefined)) return;
  throw badArgument("an agent without a budget has no charter: give --budget with its limits");
}

/**
 * Agents are called by their names: one person has each name once.
 * @throws {SionError} `argument`
 */
export async function requireNewNames(
  context: Context,
  { principal, by, names, signal }: {
    /** Account of the person at the top. */
    readonly principal: string;
    /** What errors call that person. */
    readonly by: string;
    readonly names: readonly string[];
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const { listObjects } = await import("./objects.ts");
  const where = { member: "principal", equals: principal };
  const others = await listObjects(context, "identity", where, withSignal(signal));
  for (const name of names) {
    const same = others.find(({ object }) => object["name"] === name);
    if (same === undefined) continue;
    throw badArgument(
      `${by} has an agent ${name} already, ${shortId(same.id)}: give this one another name; ` +
        "nothing was sent",
    );
  }
}

/** What the agent is called: as its wallet, unless said otherwise. */
function nameOf({ name }: NewAgent, walletName: string | undefined): string {
  return name ?? walletName ?? "";
}

async function payeeAccounts(
  context: Context,
  facts: ChainFacts,
  payees: readonly string[] | undefined,
): Promise<readonly string[] | null> {
  if (payees === undefined || payees.length === 0) return null;
  const accounts = new Set<string>();
  for (const payee of payees) {
    accounts.add((await accountNamed(context, facts, payee, true)).account);
  }
  return [...accounts].sort();
}

function registration(agent: NewAgent, account: string, name: string | undefined): Action {
  return {
    kind: "agent_register",
    body: { name: nameOf(agent, name), account, parent: null },
  };
}

function charter(
  { maxPayment, refill, expiresInPulses }: NewAgent,
  agent: string,
  budget: bigint,
  payees: readonly string[] | null,
  head: bigint,
): Action {
  const { amount, periodMs } = refill ?? NO_REFILL;
  return {
    kind: "charter_create",
    body: {
      agent,
      parent: null,
      caveats: {
        payees,
        maxPayment: maxPayment ?? null,
        bucket: { capacity: budget, refill: amount, periodMs },
        expires: expiresInPulses === undefined ? null : head + BigInt(expiresInPulses),
        receipts: true,
      },
    },
  };
}

function allotment(charterId: string, amount: bigint): Action {
  return {
    kind: "allotment_fund",
    body: { charter: charterId, allotment: null, source: null, amount },
  };
}

function feeMoney(account: string, asset: string, amount: bigint): Action {
  return { kind: "pay", body: { asset, outputs: [[account, amount]] } };
}
