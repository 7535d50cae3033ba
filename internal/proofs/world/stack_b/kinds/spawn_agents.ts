/** `spawn_agents`: several agents with their budgets at once, all or none. */
import type { ValueOf } from "#internal/core/mod.ts";
import { id, list, option, struct, text, u64 } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { defineKind } from "../kind.ts";
import { caveatsFault } from "../limits.ts";
import { caveatsCodec } from "../objects.ts";
import type { Value } from "../receipt.ts";
import type { Agent } from "../standing.ts";
import { checkAccount, lineAbove, makeAgent, nameFault } from "./agent_register.ts";
import { makeAllotment, readSource, takeFromSource } from "./allotment_fund.ts";
import { checkCaveats, checkParent, makeCharter } from "./charter_create.ts";

const MAX_U64 = 2n ** 64n - 1n;

const budgetCodec = struct({ caveats: caveatsCodec, amount: u64 });

const bodyCodec = struct({
  parent: option(id),
  charter: option(id),
  source: option(id),
  agents: list(
    struct({ name: text(64), account: option(id), budget: option(budgetCodec) }),
    32,
  ),
});

type Body = ValueOf<typeof bodyCodec>;
type Spawn = Body["agents"][number];
type Budget = ValueOf<typeof budgetCodec>;

/** docs/protocol/ledger.md, spawn_agents. */
export const spawnAgents = defineKind({
  name: "spawn_agents",
  tag: 20,
  codec: bodyCodec,
  fixes: "execution",
  fault(body) {
    const { agents } = body;
    if (agents.length === 0) return "no agents are spawned";
    const budgets = budgetsOf(body);
    const faults = [
      ...agents.map(({ name }) => nameFault(name)),
      ...budgets.map(({ amount }) => amount === 0n ? "an amount is 0" : null),
      ...budgets.map(({ caveats }) => caveatsFault(caveats)),
      sumOf(budgets) > MAX_U64 ? "the budgets are more than 64 bits hold" : null,
      originFault(body),
    ];
    return faults.find((fault) => fault !== null) ?? null;
  },
  apply(context, body) {
    const { parent, charter, agents } = body;
    const line = lineAbove(context, parent);
    for (const { account } of agents) checkAccount(context, line, account);
    if (charter !== null) checkParent(context, charter, parent);
    const budgets = budgetsOf(body);
    for (const { caveats } of budgets) checkCaveats(context, caveats);
    takeMoney(context, body, sumOf(budgets));
    return agents.flatMap((wanted) => spawn(context, line, body, wanted));
  },
});

function budgetsOf({ agents }: Body): readonly Budget[] {
  return agents.flatMap(({ budget }) => budget ?? []);
}

function sumOf(budgets: readonly Budget[]): bigint {
  return budgets.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Budgets below an agent stand under a charter, a person's under none; a source is of a charter. */
function originFault(body: Body): string | null {
  const { parent, charter, source } = body;
  const isBelow = parent !== null && budgetsOf(body).length > 0;
  if ((charter !== null) !== isBelow) {
    return "a charter is named exactly where budgets are under one";
  }
  return source !== null && charter === null ? "a source is of no charter" : null;
}

/** Takes what all budgets need, if that is anything, from the source or else the acting account. */
function takeMoney(context: Context, { charter, source }: Body, amount: bigint): void {
  if (source === null) context.take(USD, amount);
  else takeFromSource(context, source, readSource(context, source, charter), amount);
}

/** Makes an agent and what its budget consists of. The events, in order. */
function spawn(
  context: Context,
  line: readonly Agent[],
  { charter: parent, source }: Body,
  { name, account, budget }: Spawn,
): Value[] {
  const { agent, event: registered } = makeAgent(context, line, { name, account });
  if (budget === null) return [registered];
  const { caveats, amount } = budget;
  const { charter, event: given } = makeCharter(context, { agent, parent, caveats });
  return [registered, given, makeAllotment(context, { charter, source, amount })];
}
