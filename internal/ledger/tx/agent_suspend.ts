/** Suspends an agent and, without touching them, all agents below it, until it is resumed. */
import { id, struct } from "#internal/core/mod.ts";
import { levelAbove, lineOf } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import { identityKind } from "../objects/identity.ts";
import type { View } from "../view.ts";

export const agentSuspend = defineTxKind({
  name: "agent_suspend",
  tag: 17,
  since: "1.0",
  certificateFixes: "execution",
  body: struct({ agent: id }),
  touches: ({ agent }) => ({ shared: [agent] }),
  intent: ({ agent }, say) => `Suspend agent ${say.short(agent)} and every agent below it`,
  apply(view: View, { agent }) {
    const line = lineOf(view, agent);
    const level = levelAbove(view, line, "suspend it");
    const { value } = line[0];
    view.require(value.revoked === null, "invalid transaction", "the agent is revoked");
    view.require(
      !value.suspensions.some((suspension) => suspension.level === level),
      "invalid transaction",
      "the agent is suspended already",
    );
    const suspensions = [...value.suspensions, { level, by: view.actor, since: view.pulse }]
      .sort((a, b) => a.level - b.level);
    view.put(identityKind, agent, { ...value, suspensions });
    view.emit("AgentSuspended", { agent, by: view.actor });
  },
  tells: {
    AgentSuspended: (fields, say) =>
      `agent ${say.short(fields.id("agent"))} suspended by ${say.account(fields.id("by"))}`,
  },
  done: ({ account }, { agent }, say) =>
    `agent ${say.short(agent)} suspended by ${say.account(account)}, with everything below it`,
});
