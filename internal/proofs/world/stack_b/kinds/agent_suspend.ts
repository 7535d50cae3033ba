/** `agent_suspend`: stops an agent and all below it, until it is resumed. */
import { id, struct } from "#internal/core/mod.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { lineOf, standAbove } from "../standing.ts";

/** docs/protocol/ledger.md, agent_suspend. */
export const agentSuspend = defineKind({
  name: "agent_suspend",
  tag: 17,
  codec: struct({ agent: id }),
  fixes: "execution",
  apply(context, { agent }) {
    const line = lineOf(context, agent);
    const [{ identity }] = line;
    const { level } = standAbove(context, line, "suspend it");
    if (identity.revoked !== null) invalid("the agent is revoked");
    if (identity.suspensions.some((one) => one.level === level)) {
      invalid("the agent is suspended already");
    }
    const added = { level, by: context.account, since: context.pulse };
    const suspensions = [...identity.suspensions, added].sort((a, b) => a.level - b.level);
    context.put("identity", agent, { ...identity, suspensions });
    return { AgentSuspended: { agent, by: context.account } };
  },
});
