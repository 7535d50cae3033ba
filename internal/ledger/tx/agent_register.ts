/**
 * A new agent under the acting account: directly under the person that acts, or under the agent that
 * acts. A keyless agent gets an account of its own under the acting policy.
 */
import { id, option, struct, text } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { defineTxKind } from "../kind.ts";
import type { View } from "../view.ts";
import { actingText, agentNameFault, checkAccount, makeAgent, placeUnder } from "./_new_agents.ts";

const codec = struct({
  name: text(64),
  /** Identity of the agent that acts; null when a person does. */
  parent: option(id),
  /** The account the agent acts with; null for a keyless agent. */
  account: option(id),
});

/** Body of `agent_register`. */
export type AgentRegisterBody = ValueOf<typeof codec>;

export const agentRegister = defineTxKind({
  name: "agent_register",
  tag: 16,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ name }: AgentRegisterBody) => agentNameFault(name),
  touches: ({ parent }) => ({ shared: parent === null ? [] : [parent] }),
  intent({ name, parent, account }, say) {
    const under = parent === null ? "" : ` under agent ${say.short(parent)}`;
    return `Register agent ${name}${under}, ${actingText(account, say)}`;
  },
  apply(view: View, { name, parent, account }) {
    const place = placeUnder(view, parent);
    checkAccount(view, place, account);
    makeAgent(view, place, { name, account });
  },
  tells: {
    AgentRegistered: (fields, say) =>
      `agent ${say.short(fields.id("agent"))} registered as ${fields.text("name")}, ` +
      `under ${say.account(fields.id("principal"))}`,
  },
  done: ({ made }, { name }, say) => `agent ${say.short(made[0] ?? "")} registered as ${name}`,
});
