/**
 * Lifts the suspension of an agent that the acting account set, and those set by whoever stands
 * between. One set from above the acting account stays, and so does one of an agent below.
 */
import { id, shortId, struct } from "#internal/core/mod.ts";
import { levelAbove, lineOf } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import { identityKind } from "../objects/identity.ts";
import { fieldsOf } from "../receipt.ts";
import type { View } from "../view.ts";

export const agentResume = defineTxKind({
  name: "agent_resume",
  tag: 18,
  since: "1.0",
  certificateFixes: "execution",
  body: struct({ agent: id }),
  touches: ({ agent }) => ({ shared: [agent] }),
  intent: ({ agent }, say) => `Lift the suspension of agent ${say.short(agent)}`,
  apply(view: View, { agent }) {
    const line = lineOf(view, agent);
    const level = levelAbove(view, line, "lift its suspension");
    const { value } = line[0];
    view.require(value.revoked === null, "invalid transaction", "the agent is revoked");
    view.require(value.suspensions.length > 0, "invalid transaction", "the agent is not suspended");
    const left = value.suspensions.filter((suspension) => suspension.level < level);
    view.require(
      left.length < value.suspensions.length,
      "unauthorized",
      `only who suspended agent ${shortId(agent)}, or stands above, may lift its suspension`,
    );
    view.put(identityKind, agent, { ...value, suspensions: left });
    view.emit("AgentResumed", { agent, by: view.actor, suspended_above: left.length > 0 });
  },
  tells: {
    AgentResumed: (fields, say) =>
      `agent ${say.short(fields.id("agent"))} resumed by ${say.account(fields.id("by"))}` +
      (fields.flag("suspended_above") ? ", though it stays suspended by who stands above" : ""),
  },
  done(receipt, { agent }, say) {
    const still = fieldsOf(receipt, "AgentResumed").suspended_above === true;
    return `agent ${say.short(agent)} resumed` +
      (still ? ", though it stays suspended by who stands above" : "");
  },
});
