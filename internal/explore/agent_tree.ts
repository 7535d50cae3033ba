/** Agents as they stand one below the other, with the money that was put under each. */
import type { JsonValue } from "#internal/core/mod.ts";
import type { ToldObject } from "#internal/rpc/mod.ts";
import { standingOf, textOf } from "#internal/rpc/mod.ts";

/** Money of an agent, micro-USD: all that was put under its charters. */
export interface Budget {
  readonly left: bigint;
  readonly spent: bigint;
  /** Put under agents below it. */
  readonly passedOn: bigint;
}

/** An agent with those right below it. */
export interface AgentNode {
  readonly agent: ToldObject;
  /** `good`, `suspended` or `revoked`, all above it counted. */
  readonly standing: string;
  /** Whether that is its own, and not of one above it. */
  readonly isOwn: boolean;
  readonly budget: Budget;
  readonly below: readonly AgentNode[];
}

/** What a tree is made from. */
export interface AgentObjects {
  readonly identities: readonly ToldObject[];
  readonly charters: readonly ToldObject[];
  readonly allotments: readonly ToldObject[];
}

/** Steps below a person that are shown; the ledger lets in half as many. */
const MAX_DEPTH = 16;

/** The trees of agents, by the account of the person at the top. */
export function agentTrees(objects: AgentObjects): ReadonlyMap<string, readonly AgentNode[]> {
  const { identities } = objects;
  const all = new Map(identities.map((agent) => [agent.id, agent]));
  const budgets = budgetsOf(objects);
  const below = grouped(identities, "parent");
  const node = (agent: ToldObject, depth: number): AgentNode => {
    const standing = standingOf(agent.id, all);
    return {
      agent,
      standing,
      isOwn: agent.object["own_standing"] === standing,
      budget: budgets.get(agent.id) ?? NOTHING,
      // Deeper than any agent is only what a node made up.
      below: depth >= MAX_DEPTH
        ? []
        : (below.get(agent.id) ?? []).map((one) => node(one, depth + 1)),
    };
  };
  const tops = identities.filter(({ object }) => {
    const parent = object["parent"];
    return typeof parent !== "string" || !all.has(parent);
  });
  return new Map(
    [...grouped(tops, "principal")].map((
      [who, agents],
    ) => [who, agents.map((one) => node(one, 1))]),
  );
}

const NOTHING: Budget = { left: 0n, spent: 0n, passedOn: 0n };

function budgetsOf({ charters, allotments }: AgentObjects): ReadonlyMap<string, Budget> {
  const agentOf = new Map(charters.map(({ id, object }) => [id, textOf(object["agent"])]));
  const passed = passedOn(allotments);
  const budgets = new Map<string, Budget>();
  for (const { id, object } of allotments) {
    const agent = agentOf.get(textOf(object["charter"]));
    if (agent === undefined) continue;
    const { left, spent, passedOn } = budgets.get(agent) ?? NOTHING;
    budgets.set(agent, {
      left: left + amount(object["balance"]),
      spent: spent + amount(object["spent"]),
      passedOn: passedOn + (passed.get(id) ?? 0n),
    });
  }
  return budgets;
}

/** What was put from each allotment under others, with what those passed on in turn. */
function passedOn(allotments: readonly ToldObject[]): ReadonlyMap<string, bigint> {
  const from = grouped(allotments, "source");
  const totals = new Map<string, bigint>();
  const total = (id: string, depth: number): bigint => {
    const known = totals.get(id);
    if (known !== undefined || depth > MAX_DEPTH) return known ?? 0n;
    const sum = (from.get(id) ?? []).reduce(
      (sum, { id: inner, object }) =>
        sum + amount(object["balance"]) + amount(object["spent"]) + total(inner, depth + 1),
      0n,
    );
    totals.set(id, sum);
    return sum;
  };
  for (const id of from.keys()) total(id, 0);
  return totals;
}

function amount(value: JsonValue | undefined): bigint {
  return typeof value === "number" || typeof value === "bigint" ? BigInt(value) : 0n;
}

function grouped(
  objects: readonly ToldObject[],
  member: string,
): ReadonlyMap<string, readonly ToldObject[]> {
  const groups = new Map<string, ToldObject[]>();
  for (const one of objects) {
    const key = one.object[member];
    if (typeof key !== "string") continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
