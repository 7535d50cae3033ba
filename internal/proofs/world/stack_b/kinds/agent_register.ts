/** `agent_register`: an identity under a person or under another agent. */
import { id, idBytes, isHex64, option, struct, text } from "#internal/core/mod.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Agent } from "../standing.ts";
import { checkActs, lineOf } from "../standing.ts";
import { accountOf } from "../policy.ts";

/** Agents below each other. */
const MAX_DEPTH = 8;

/** docs/protocol/ledger.md, agent_register. */
export const agentRegister = defineKind({
  name: "agent_register",
  tag: 16,
  codec: struct({ name: text(64), parent: option(id), account: option(id) }),
  fixes: "execution",
  fault({ name }) {
    const legal = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && !isHex64(name);
    return legal ? null : "a name is none";
  },
  apply(context, body) {
    const line = body.parent === null ? [] : lineOf(context, body.parent);
    const parent = line[0]?.identity;
    if (parent !== undefined) {
      checkActs(context, line);
      if (parent.depth >= MAX_DEPTH) invalid("agents can be at most 8 deep");
    }
    const principal = parent?.principal ?? context.account;
    if (body.account !== null) checkAccount(body.account, principal, line);
    let account = "";
    const agent = context.make("identity", (made) => {
      account = body.account ?? accountOf(context.policy, idBytes(made));
      return {
        name: body.name,
        principal,
        parent: body.parent,
        account,
        keyless: body.account === null,
        depth: (parent?.depth ?? 0) + 1,
        registered: context.pulse,
        suspensions: [],
        revoked: null,
      };
    });
    return {
      AgentRegistered: { account, agent, name: body.name, parent: body.parent, principal },
    };
  },
});

function checkAccount(account: string, principal: string, line: readonly Agent[]): void {
  if (account === principal || line.some(({ identity }) => identity.account === account)) {
    invalid("an agent cannot act with the account of who stands above it");
  }
}
