/** Ends an agent for good and, without touching them, all agents below it. */
import { id, struct } from "#internal/core/mod.ts";
import { levelAbove, lineOf } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import { identityKind } from "../objects/identity.ts";
import type { View } from "../view.ts";

export const agentRevoke = defineTxKind({
  name: "agent_revoke",
  tag: 19,
  since: "1.0",
  certificateFixes: "execution",
  body: struct({ agent: id }),
  touches: ({ agent }) => ({ shared: [agent] }),
  intent: ({ agent }, say) => `Revoke agent ${say.short(agent)} and every agent below it, for good`,
  apply(view: View, { agent }) {
    const line = lineOf(view, agent);
    levelAbove(view, line, "revoke it");
    const { value } = line[0];
    view.require(value.revoked === null, "invalid transaction", "the agent is revoked already");
    const revoked = { by: view.actor, since: view.pulse };
    view.put(identityKind, agent, { ...value, revoked });
    view.emit("AgentRevoked", { agent, by: view.actor });
  },
  tells: {
    AgentRevoked: (fields, say) =>
      `agent ${say.short(fields.id("agent"))} revoked by ${say.account(fields.id("by"))}`,
  },
  done: ({ account }, { agent }, say) =>
    `agent ${say.short(agent)} revoked by ${say.account(account)}, with everything below it`,
});
