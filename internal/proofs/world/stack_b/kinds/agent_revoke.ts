/** `agent_revoke`: ends an agent and all below it, for good. */
import { id, struct } from "#internal/core/mod.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Identity } from "../objects.ts";
import { levelAbove, lineOf } from "../standing.ts";

/** docs/protocol/ledger.md, agent_revoke. */
export const agentRevoke = defineKind({
  name: "agent_revoke",
  tag: 19,
  codec: struct({ agent: id }),
  fixes: "execution",
  apply(context, { agent }) {
    const line = lineOf(context, agent);
    const identity = line[0] as Identity;
    levelAbove(context, line);
    if (identity.revoked !== null) invalid("the agent is revoked already");
    const revoked = { by: context.account, since: context.pulse };
    context.put("identity", agent, { ...identity, revoked });
    return { AgentRevoked: { agent, by: context.account } };
  },
});
