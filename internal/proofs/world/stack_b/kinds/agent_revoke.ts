/** `agent_revoke`: ends an agent and all below it, for good. */
import { id, struct } from "#internal/core/mod.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { lineOf, standAbove } from "../standing.ts";

/** docs/protocol/ledger.md, agent_revoke. */
export const agentRevoke = defineKind({
  name: "agent_revoke",
  tag: 19,
  codec: struct({ agent: id }),
  fixes: "execution",
  apply(context, { agent }) {
    const line = lineOf(context, agent);
    const [{ identity }] = line;
    standAbove(context, line, "revoke it");
    if (identity.revoked !== null) invalid("the agent is revoked already");
    const revoked = { by: context.account, since: context.pulse };
    context.put("identity", agent, { ...identity, revoked });
    return { AgentRevoked: { agent, by: context.account } };
  },
});
