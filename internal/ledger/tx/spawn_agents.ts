/**
 * Several agents under the acting account with their charters and money: all of it or nothing. An
 * agent's are under one charter of its own, and their money comes from an allotment of that charter
 * or from its balance.
 */
import { id, list, option, struct, text, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { caveatsCodec, caveatsFault, caveatsText } from "../caveats.ts";
import { defineTxKind } from "../kind.ts";
import { allotmentKind } from "../objects/allotment.ts";
import { MAX_SUPPLY, USD } from "../objects/asset.ts";
import { eventsOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import {
  actingText,
  agentNameFault,
  checkAccount,
  checkCharterAbove,
  checkExpiry,
  drawFrom,
  makeAgent,
  makeAllotment,
  makeCharter,
  placeUnder,
} from "./_new_agents.ts";

/** Agents of one transaction. Each makes up to three objects and events; a receipt holds 128. */
const MAX_SPAWNED = 32;

const budgetCodec = struct({
  caveats: caveatsCodec,
  /** Micro-USD put in an allotment of the new charter. */
  amount: u64,
});

const spawnCodec = struct({
  name: text(64),
  /** The account the agent acts with; null for a keyless agent. */
  account: option(id),
  /** Null for an agent without a charter. */
  budget: option(budgetCodec),
});

const codec = struct({
  /** Identity of the agent that acts; null when a person does. */
  parent: option(id),
  /** The acting agent's charter that the new ones are under; null when none is made, or by a person. */
  charter: option(id),
  /** The allotment of that charter that the money comes from; null for the acting account's balance. */
  source: option(id),
  agents: list(spawnCodec, MAX_SPAWNED, "agents"),
});

/** Body of `spawn_agents`. */
export type SpawnAgentsBody = ValueOf<typeof codec>;
type Spawn = SpawnAgentsBody["agents"][number];

function totalOf({ agents }: SpawnAgentsBody): bigint {
  return agents.reduce((sum, { budget }) => sum + (budget?.amount ?? 0n), 0n);
}

function spawnFault({ name, budget }: Spawn): string | undefined {
  const fault = agentNameFault(name);
  if (fault !== undefined || budget === null) return fault;
  return budget.amount === 0n ? "an amount must be above 0" : caveatsFault(budget.caveats);
}

function spawnText({ name, account, budget }: Spawn, say: Say): string {
  const acting = `${name}, ${actingText(account, say)}`;
  if (budget === null) return acting;
  return `${acting}, with ${say.amount(budget.amount)} to pay ${caveatsText(budget.caveats, say)}`;
}

function count(agents: readonly unknown[]): string {
  return agents.length === 1 ? "1 agent" : `${agents.length} agents`;
}

/** Takes the money of all budgets out of the acting agent's allotment of the charter above. */
function draw(view: View, source: string, charter: string | null, total: bigint): void {
  const from = view.need(allotmentKind, source);
  view.require(
    from.charter === charter,
    "invalid transaction",
    "the money must come from an allotment of the charter above",
  );
  drawFrom(view, source, from, total);
}

export const spawnAgents = defineTxKind({
  name: "spawn_agents",
  tag: 20,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check(body: SpawnAgentsBody) {
    const { parent, charter, source, agents } = body;
    if (agents.length === 0) return "there must be an agent to spawn";
    const fault = agents.map(spawnFault).find((one) => one !== undefined);
    if (fault !== undefined) return fault;
    if (totalOf(body) > MAX_SUPPLY) return "the amounts together are too large";
    const givesCharters = parent !== null && agents.some(({ budget }) => budget !== null);
    if (givesCharters && charter === null) return "an agent's charters must be under its own";
    if (!givesCharters && charter !== null) return "a charter is above nothing";
    return source !== null && charter === null ? "an allotment is of no charter" : undefined;
  },
  spendBound(body) {
    const amount = totalOf(body);
    return body.source === null && amount > 0n ? { asset: USD, amount } : undefined;
  },
  touches: ({ parent, charter, source }) => ({
    shared: [parent, charter, source].filter((id) => id !== null),
  }),
  intent({ parent, charter, source, agents }, say) {
    const under = parent === null ? "" : ` under agent ${say.short(parent)}`;
    const above = charter === null ? "" : `, all under charter ${say.short(charter)}`;
    const from = source === null ? "" : `, from allotment ${say.short(source)}`;
    return `Spawn ${count(agents)}${under}: ` +
      `${agents.map((agent) => spawnText(agent, say)).join("; ")}${above}${from}`;
  },
  apply(view: View, body) {
    const { parent, charter, source, agents } = body;
    const place = placeUnder(view, parent);
    for (const { account } of agents) checkAccount(view, place, account);
    if (charter !== null) checkCharterAbove(view, charter, parent ?? undefined);
    for (const { budget } of agents) {
      if (budget !== null) checkExpiry(view, budget.caveats);
    }
    const total = totalOf(body);
    if (source !== null) draw(view, source, charter, total);
    else if (total > 0n) view.debit(USD, total);
    for (const { name, account, budget } of agents) {
      const agent = makeAgent(view, place, { name, account });
      if (budget === null) continue;
      const made = makeCharter(view, { agent, parent: charter, caveats: budget.caveats });
      makeAllotment(view, { charter: made, source, amount: budget.amount });
    }
  },
  done(receipt, { agents }, say) {
    const told = eventsOf(receipt, "AgentRegistered").map((event, at) => {
      const budget = agents[at]?.budget ?? null;
      const money = budget === null ? "" : ` with ${say.amount(budget.amount)}`;
      return `${say.short(event.id("agent"))} as ${event.text("name")}${money}`;
    });
    return `${count(agents)} spawned: ${told.join("; ")}`;
  },
});
