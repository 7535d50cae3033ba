/** `agent_resume`: lifts the suspensions set at the acting level or below it. */
import { id, struct } from "#internal/core/mod.ts";
import { invalid, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Identity } from "../objects.ts";
import { levelAbove, lineOf } from "../standing.ts";

/** docs/protocol/ledger.md, agent_resume. */
export const agentResume = defineKind({
  name: "agent_resume",
  tag: 18,
  codec: struct({ agent: id }),
  fixes: "execution",
  apply(context, { agent }) {
    const line = lineOf(context, agent);
    const identity = line[0] as Identity;
    const level = levelAbove(context, line);
    if (identity.suspensions.length === 0) invalid("the agent is not suspended");
    const suspensions = identity.suspensions.filter((one) => one.level < level);
    if (suspensions.length === identity.suspensions.length) unauthorized("suspended from above");
    context.put("identity", agent, { ...identity, suspensions });
    const above = suspensions.length > 0;
    return { AgentResumed: { agent, by: context.account, suspended_above: above } };
  },
});
