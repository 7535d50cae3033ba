/** Agents, charters and allotments for tests: alice's robot, and its helper below. */
import { caveatsOf } from "#internal/ledger/mod.ts";
import type { Action } from "#internal/ledger/mod.ts";
import { accountOf, payTo, usd } from "./_world.ts";
import type { World } from "./_world.ts";

export type SomeCaveats = Parameters<typeof caveatsOf>[0];

export const register = (name: string, parent: string | null = null): Action => ({
  kind: "agent_register",
  body: { name, parent, account: accountOf(name) },
});
export const suspend = (agent: string): Action => ({ kind: "agent_suspend", body: { agent } });
export const resume = (agent: string): Action => ({ kind: "agent_resume", body: { agent } });
export const revoke = (agent: string): Action => ({ kind: "agent_revoke", body: { agent } });
export const charter = (
  agent: string,
  some: SomeCaveats,
  parent: string | null = null,
): Action => ({
  kind: "charter_create",
  body: { agent, parent, caveats: caveatsOf(some) },
});
export const narrow = (id: string, some: SomeCaveats): Action => ({
  kind: "charter_narrow",
  body: { charter: id, caveats: caveatsOf(some) },
});
export const revokeCharter = (id: string): Action => ({
  kind: "charter_revoke",
  body: { charter: id },
});
export const fund = (
  id: string,
  amount: bigint,
  more: { allotment?: string; source?: string } = {},
): Action => ({
  kind: "allotment_fund",
  body: {
    charter: id,
    amount,
    allotment: more.allotment ?? null,
    source: more.source ?? null,
  },
});
export const reclaim = (allotment: string, amount: bigint | null = null): Action => ({
  kind: "allotment_reclaim",
  body: { allotment, amount },
});

/** Where spawned agents go, and what their charters and money come from. */
export interface SpawnPlace {
  readonly parent?: string;
  readonly charter?: string;
  readonly source?: string;
}

/** One agent to spawn. */
export interface SomeSpawn {
  readonly name: string;
  /** @default keyless */
  readonly account?: string;
  /** @default no charter */
  readonly amount?: bigint;
  readonly caveats?: SomeCaveats;
}

export const spawn = (place: SpawnPlace, agents: readonly SomeSpawn[]): Action => ({
  kind: "spawn_agents",
  body: {
    parent: place.parent ?? null,
    charter: place.charter ?? null,
    source: place.source ?? null,
    agents: agents.map(({ name, account, amount, caveats }) => ({
      name,
      account: account ?? null,
      budget: amount === undefined ? null : { caveats: caveatsOf(caveats ?? {}), amount },
    })),
  },
});

/** An agent with a charter and money. */
export interface Funded {
  readonly agent: string;
  readonly charter: string;
  readonly allotment: string;
}

export const agentPay = (
  from: Funded,
  payee: string,
  amount: bigint,
  more: { purpose?: string; session?: string; call?: string } = {},
): Action => ({
  kind: "agent_pay",
  body: {
    charter: from.charter,
    allotment: from.allotment,
    payee,
    amount,
    purpose: more.purpose ?? "one forecast",
    session: more.session ?? null,
    call: more.call ?? null,
  },
});

/** alice's robot with a charter, 100 USD in an allotment, and fee money. */
export function robotOf(world: World, some: SomeCaveats = {}, budget = usd(100)): Funded {
  const agent = world.make("alice", register("robot"));
  const id = world.make("alice", charter(agent, some));
  const allotment = world.make("alice", fund(id, budget));
  world.make("alice", payTo([accountOf("robot"), usd(1)]));
  return { agent, charter: id, allotment };
}

/** Where robot spawns, out of its own allotment. */
export function placeOf({ agent, charter, allotment }: Funded): Required<SpawnPlace> {
  return { parent: agent, charter, source: allotment };
}

/** robot's helper with a charter under robot's, 10 USD of robot's money, and fee money. */
export function helperOf(world: World, robot: Funded, some: SomeCaveats = {}): Funded {
  const agent = world.make("robot", register("helper", robot.agent));
  const id = world.make("robot", charter(agent, some, robot.charter));
  const allotment = world.make("robot", fund(id, usd(10), { source: robot.allotment }));
  world.make("alice", payTo([accountOf("helper"), usd(1)]));
  return { agent, charter: id, allotment };
}
