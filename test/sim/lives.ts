/** The lives that events of a plan begin, by the names that each has once in a run. */
import { agentLife } from "./agent_life.ts";
import { claimLife } from "./claim_life.ts";
import type { Send, Steps } from "./life.ts";
import { agentLogLife, ownLogLife } from "./memory_life.ts";
import type { PlanEvent } from "./plan.ts";
import { spawnLife } from "./spawn_life.ts";

/** Events that begin lives. */
type LifeEvent = Extract<PlanEvent, { type: "agent" | "claims" | "memory" | "spawn" }>;

/** Name and steps of each life that an event begins. */
export function livesOf(
  event: LifeEvent,
): readonly (readonly [name: string, steps: (send: Send) => Steps])[] {
  switch (event.type) {
    case "agent":
      return [["agent", agentLife]];
    case "claims":
      return [["claims", (send) => claimLife(send, event.isFalse)]];
    case "memory":
      return [["own log", ownLogLife], ["agent's log", agentLogLife]];
    case "spawn":
      return [["spawn", spawnLife]];
  }
}
