/** `agent_resume`: lifts the suspensions set at the acting level or below it. */
import { id, struct } from "#internal/core/mod.ts";
import { invalid, short, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { lineOf, standAbove } from "../standing.ts";

/** docs/protocol/ledger.md, agent_resume. */
export const agentResume = defineKind({
  name: "agent_resume",
  tag: 18,
  codec: struct({ agent: id }),
  fixes: "execution",
  apply(context, { agent }) {
    const line = lineOf(context, agent);
    const [{ identity }] = line;
    const { level } = standAbove(context, line, "lift its suspension");
    if (identity.revoked !== null) invalid("the agent is revoked");
    if (identity.suspensions.length === 0) invalid("the agent is not suspended");
    const suspensions = identity.suspensions.filter((one) => one.level < level);
    if (suspensions.length === identity.suspensions.length) {
      unauthorized(
        `only who suspended agent ${short(agent)}, or stands above, may lift its suspension`,
      );
    }
    context.put("identity", agent, { ...identity, suspensions });
    const above = suspensions.length > 0;
    return { AgentResumed: { agent, by: context.account, suspended_above: above } };
  },
});
