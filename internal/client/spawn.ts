/**
 * Several agents below one: their identities, charters and money in one transaction, and then one
 * transfer of fee money to all of their accounts, since an allotment pays no fees.
 */
import { formatUsd, idBytes, MICRO_PER_USD, shortId } from "#internal/core/mod.ts";
import { accountNamed, knownNames } from "./accounts.ts";
import type { AgentSpawn, SpawnedAgent, SpawnedAgents } from "./agent_types.ts";
import type { ChainFacts } from "./chain_facts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument } from "./errors.ts";
import { actingFor } from "./keyless.ts";
import { requireNewNames } from "./new_agent.ts";
import { findObject, textMember } from "./objects.ts";
import { purseOf } from "./purse.ts";
import type { SigningPlace } from "./lane.ts";
import { makeOne, signingPlace } from "./transact.ts";
import type { Action, ObjectValue, Outcome, Purse, SignOptions } from "./types.ts";

/** Fee money of each agent unless said otherwise: 0.01 USD, some eight payments or seventeen in batches. */
const DEFAULT_FEES = MICRO_PER_USD / 100n;

/** An agent of the transaction's body. */
interface SpawnBody {
  readonly name: string;
  readonly account: string | null;
  readonly budget: { readonly caveats: object; readonly amount: bigint } | null;
}

/**
 * Spawns the agents and gives them fee money. That is sent when the spawning has succeeded: until
 * then nobody has the accounts. A process that ends in between leaves agents without fee money.
 * @throws {SionError} `not-found`, `argument`, and as `transact`
 */
export async function spawnAgents(context: Context, spawn: AgentSpawn): Promise<SpawnedAgents> {
  const options = withSignal(spawn.signal);
  const facts = await chainFacts(context, spawn.signal);
  const parent = await findObject(context, "identity", spawn.parent, options);
  const acting = await actingFor(context, spawn.wallet, parent, options);
  const agents = await Promise.all(spawn.agents.map((agent) => bodyOf(context, facts, agent)));
  await checkNames(context, facts, parent, spawn);
  const total = agents.reduce((sum, { budget }) => sum + (budget?.amount ?? 0n), 0n);
  const purse = total === 0n ? undefined : await purseFor(context, parent, total, spawn);
  const signing: SignOptions = { ...spawn, ...acting };
  const place = await signingPlace(context, facts, spawn.wallet, signing);
  const body = {
    parent: parent.id,
    charter: purse?.charter.id ?? null,
    source: purse?.allotment.id ?? null,
    agents,
  };
  const spawned = await make(place, { kind: "spawn_agents", body }, signing);
  if (spawned.status !== "Success") return { agents: [], outcomes: [spawned] };
  const made = await madeOf(place, spawned, agents);
  const fees = spawn.fees ?? DEFAULT_FEES;
  if (fees === 0n) return { agents: made, outcomes: [spawned] };
  const now = await signingPlace(context, await chainFacts(context, spawn.signal), spawn.wallet, {
    ...options,
    ...acting,
  });
  const { USD } = await import("#internal/ledger/mod.ts");
  const outputs = made.map(({ account }) => [account, fees] as const);
  const paid = await make(now, { kind: "pay", body: { asset: USD, outputs } }, signing, 1);
  return { agents: made, outcomes: [spawned, paid] };
}

/** One transaction; `first` is its number among those that `onOutcome` is told of. */
async function make(
  place: SigningPlace,
  action: Action,
  options: SignOptions,
  first = 0,
): Promise<Outcome> {
  const { onOutcome } = options;
  return await makeOne(place, action, {
    ...options,
    ...(onOutcome === undefined
      ? {}
      : { onOutcome: (outcome: Outcome, at: number) => onOutcome(outcome, first + at) }),
  });
}

async function bodyOf(
  context: Context,
  facts: ChainFacts,
  agent: SpawnedAgent,
): Promise<SpawnBody> {
  const { name, wallet, budget, payees = [], maxPayment, expiresInPulses } = agent;
  const account = wallet === undefined
    ? null
    : (await accountNamed(context, facts, wallet, true)).account;
  if (budget === undefined) return { name, account, budget: null };
  const paid = await Promise.all(
    payees.map(async (payee) => (await accountNamed(context, facts, payee, true)).account),
  );
  const { caveatsOf } = await import("#internal/ledger/mod.ts");
  const caveats = caveatsOf({
    payees: paid.length === 0 ? null : paid,
    maxPayment: maxPayment ?? null,
    expires: expiresInPulses === undefined ? null : facts.head + BigInt(expiresInPulses),
    receipts: true,
  });
  return { name, account, budget: { caveats, amount: budget } };
}

/** Agents are called by their names: none of the new ones may have another's. */
async function checkNames(
  context: Context,
  facts: ChainFacts,
  parent: ObjectValue,
  { agents, signal }: AgentSpawn,
): Promise<void> {
  const names = agents.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw badArgument(`two agents are called ${twice}: give each its own name; nothing was sent`);
  }
  const principal = textMember(parent, "principal");
  const by = (await knownNames(context, facts))(principal) ?? shortId(principal);
  await requireNewNames(context, { principal, by, names, ...withSignal(signal) });
}

async function purseFor(
  context: Context,
  parent: ObjectValue,
  total: bigint,
  { signal }: AgentSpawn,
): Promise<Purse> {
  const purse = await purseOf(context, parent.id, withSignal(signal));
  const has = purse?.balance ?? 0n;
  if (purse !== undefined && has >= total) return purse;
  throw badArgument(
    `agent ${shortId(parent.id)} has ${formatUsd(has)} USD left under one charter, this needs ` +
      `${formatUsd(total)}: give less, or add to its allotment; nothing was sent`,
  );
}

/** The ids follow from the transaction, in the order in which it makes its objects. */
async function madeOf(
  { signer }: SigningPlace,
  { made }: Outcome,
  agents: readonly SpawnBody[],
): Promise<SpawnedAgents["agents"]> {
  const { accountId } = await import("#internal/ledger/mod.ts");
  const ids = [...made];
  return agents.map(({ name, account, budget }) => {
    const agent = ids.shift() ?? "";
    const given = budget === null
      ? {}
      : { charter: ids.shift() ?? "", allotment: ids.shift() ?? "" };
    return {
      agent,
      name,
      account: account ?? accountId(signer.policy, idBytes(agent)),
      ...given,
    };
  });
}
