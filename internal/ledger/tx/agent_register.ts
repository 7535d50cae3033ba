/**
 * A new agent under the acting account: directly under the person that acts, or under the agent that
 * acts. A keyless agent gets an account of its own under the acting policy.
 */
import { id, idBytes, isLedgerName, option, struct, text } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { actingAgent } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import type { Identity } from "../objects/identity.ts";
import { identityKind, MAX_AGENT_DEPTH } from "../objects/identity.ts";
import type { View } from "../view.ts";

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
  check({ name }: AgentRegisterBody) {
    return isLedgerName(name)
      ? undefined
      : "an agent's name must be 1 to 64 letters, digits, - and _, beginning with a letter or digit";
  },
  touches: ({ parent }) => ({ shared: parent === null ? [] : [parent] }),
  intent({ name, parent, account }, say) {
    const acting = account === null
      ? "without a key of its own"
      : `acting with the account ${say.account(account)}`;
    const under = parent === null ? "" : ` under agent ${say.short(parent)}`;
    return `Register agent ${name}${under}, ${acting}`;
  },
  apply(view: View, { name, parent, account }) {
    const above = parent === null ? [] : actingAgent(view, parent);
    const depth = above.length + 1;
    view.require(
      depth <= MAX_AGENT_DEPTH,
      "invalid transaction",
      `agents can be at most ${MAX_AGENT_DEPTH} deep`,
    );
    const principal = above[0]?.value.principal ?? view.actor;
    // Whoever stands above would otherwise be bound by nothing: it could lift its own limits.
    const taken = account === principal || above.some(({ value }) => value.account === account);
    view.require(
      !taken,
      "invalid transaction",
      "an agent cannot act with the account of who stands above it",
    );
    const agent = view.create(identityKind, (self): Identity => ({
      name,
      principal,
      parent,
      account: account ?? view.accountUnderPolicy(idBytes(self)),
      keyless: account === null,
      depth,
      registered: view.pulse,
      suspensions: [],
      revoked: null,
    }));
    const { account: acting } = view.need(identityKind, agent);
    view.emit("AgentRegistered", { agent, account: acting, name, parent, principal });
  },
  tells: {
    AgentRegistered: (fields, say) =>
      `agent ${say.short(fields.id("agent"))} registered as ${fields.text("name")}, ` +
      `under ${say.account(fields.id("principal"))}`,
  },
  done: ({ made }, { name }, say) => `agent ${say.short(made[0] ?? "")} registered as ${name}`,
});
