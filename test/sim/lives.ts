/** The lives that events of a plan begin, by the names that each has once in a run. */
import { agentLife } from "./agent_life.ts";
import { claimLife } from "./claim_life.ts";
import type { Newest, Send, Steps } from "./life.ts";
import { agentLogLife, ownLogLife } from "./memory_life.ts";
import type { PlanEvent } from "./plan.ts";
import { spawnLife } from "./spawn_life.ts";
import { stakeLife } from "./stake_life.ts";
import { storageLife } from "./storage_life.ts";
import { taskLife } from "./task_life.ts";

/** Events that begin lives. */
type LifeEvent = Extract<
  PlanEvent,
  { type: "agent" | "claims" | "memory" | "spawn" | "stake" | "storage" | "tasks" }
>;

/** The steps of a life, given how it sends and what it sees. */
export type LifeSteps = (send: Send, look: () => Newest) => Steps;

/** Name and steps of each life that an event begins. */
export function livesOf(
  event: LifeEvent,
): readonly (readonly [name: string, steps: LifeSteps])[] {
  switch (event.type) {
    case "agent":
      return [["agent", agentLife]];
    case "claims":
      return [["claims", (send) => claimLife(send, event.isFalse)]];
    case "memory":
      return [["own log", ownLogLife], ["agent's log", agentLogLife]];
    case "spawn":
      return [["spawn", spawnLife]];
    case "stake":
      return [["stake", stakeLife]];
    case "tasks":
      return [["tasks", (send) => taskLife(send, event.isFalse)]];
    case "storage":
      return [["storage", (send, look) => storageLife(send, look, event.misses)]];
  }
}
