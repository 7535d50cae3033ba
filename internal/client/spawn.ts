/**
 * Several agents below one: their identities, charters and money in one transaction, and then one
 * transfer of fee money to all of their accounts, since an allotment pays no fees.
 */
import type { Digest } from "#internal/core/mod.ts";
import { formatUsd, idBytes, MICRO_PER_USD, shortId, SionError } from "#internal/core/mod.ts";
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
import { draftOnly } from "./lane.ts";
import { makeOne, signingPlace } from "./transact.ts";
import type { Action, ObjectValue, Outcome, Purse, SignOptions } from "./types.ts";
import { unfundedAgents } from "./unfunded_agents.ts";

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
 * then nobody has the accounts. What a process that ended in between left without fee money, the
 * same call gives it.
 * @throws {SionError} `not-found`, `argument`, `not-enough` for both together, and as `transact`
 */
export async function spawnAgents(context: Context, spawn: AgentSpawn): Promise<SpawnedAgents> {
  const options = withSignal(spawn.signal);
  const facts = await chainFacts(context, spawn.signal);
  const parent = await findObject(context, "identity", spawn.parent, options);
  const acting = await actingFor(context, spawn.wallet, parent, options);
  const agents = await Promise.all(spawn.agents.map((agent) => bodyOf(context, facts, agent)));
  checkDistinct(spawn);
  const fees = spawn.fees ?? DEFAULT_FEES;
  const signing: SignOptions = { ...spawn, ...acting };
  // What was signed and not sent is finished here: only then is it known who is there.
  const place = await signingPlace(context, facts, spawn.wallet, signing);
  const left = fees === 0n ? undefined : await unfundedAgents(
    context,
    parent,
    agents.map(({ budget, ...agent }) => ({ ...agent, budget: budget?.amount ?? null })),
    options,
  );
  if (left !== undefined) {
    context.note(
      `${left.map(({ name }) => name).join(", ")}: spawned before, without fee money: ` +
        "only that is moved now",
    );
    return { agents: left, outcomes: [await make(place, await feeMoney(left, fees), signing)] };
  }
  await checkNames(context, facts, parent, spawn);
  const total = agents.reduce((sum, { budget }) => sum + (budget?.amount ?? 0n), 0n);
  const purse = total === 0n ? undefined : await purseFor(context, parent, total, spawn);
  const body = {
    parent: parent.id,
    charter: purse?.charter.id ?? null,
    source: purse?.allotment.id ?? null,
    agents,
  };
  const spawning = { kind: "spawn_agents", body };
  if (fees > 0n) await checkBoth(place, spawning, { agents, fees, signing });
  const spawned = await make(place, spawning, signing);
  if (spawned.status !== "Success") return { agents: [], outcomes: [spawned] };
  const made = await madeOf(place, spawned.made, agents);
  if (fees === 0n) return { agents: made, outcomes: [spawned] };
  try {
    const now = await signingPlace(context, await chainFacts(context, spawn.signal), spawn.wallet, {
      ...options,
      ...acting,
    });
    const paid = await make(now, await feeMoney(made, fees), signing, 1);
    return { agents: made, outcomes: [spawned, paid] };
  } catch (error) {
    throw unfunded(error);
  }
}

/** Something else of the wallet's spent the money in between: the agents are there all the same. */
function unfunded(error: unknown): unknown {
  const isShort = error instanceof SionError && ["not-enough", "no-money"].includes(error.code);
  if (!isShort) return error;
  return new SionError(
    error.code,
    "the agents are spawned, but the money for their fee money is gone: add money, then give the " +
      "same command again, which moves only that",
    { data: error.data, cause: error },
  );
}

/** The transfer of fee money to all of them. */
async function feeMoney(
  agents: readonly Pick<SpawnedAgents["agents"][number], "account">[],
  fees: bigint,
): Promise<Action> {
  const { USD } = await import("#internal/ledger/mod.ts");
  const outputs = agents.map(({ account }) => [account, fees] as const);
  return { kind: "pay", body: { asset: USD, outputs } };
}

/** Nothing is signed unless there is money for the fee money too. @throws {SionError} `not-enough` */
async function checkBoth(
  place: SigningPlace,
  spawning: Action,
  { agents, fees, signing }: {
    readonly agents: readonly SpawnBody[];
    readonly fees: bigint;
    readonly signing: SignOptions;
  },
): Promise<void> {
  const { objectId } = await import("#internal/ledger/mod.ts");
  const [spawned] = await draftOnly(place, [() => [spawning]], signing);
  const digest = spawned?.digests[0] as Digest;
  const ids = agents.flatMap((_, at) => [3 * at, 3 * at + 1, 3 * at + 2])
    .map((at) => objectId(digest, at));
  const transfer = await feeMoney(await madeOf(place, ids, agents), fees);
  await draftOnly(place, [() => [spawning], () => [transfer]], signing);
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

function checkDistinct({ agents }: AgentSpawn): void {
  const names = agents.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw badArgument(`two agents are called ${twice}: give each its own name; nothing was sent`);
  }
}

/** Agents are called by their names: none of the new ones may have another's. */
async function checkNames(
  context: Context,
  facts: ChainFacts,
  parent: ObjectValue,
  { agents, signal }: AgentSpawn,
): Promise<void> {
  const names = agents.map(({ name }) => name);
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
  made: readonly string[],
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
