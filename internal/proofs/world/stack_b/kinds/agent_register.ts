/** `agent_register`: an identity under a person or under another agent. */
import { id, idBytes, isHex64, option, struct, text } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { accountOf } from "../policy.ts";
import type { Value } from "../receipt.ts";
import type { Agent } from "../standing.ts";
import { checkActs, lineOf } from "../standing.ts";

/** Agents below each other. */
const MAX_DEPTH = 8;

/** docs/protocol/ledger.md, agent_register. */
export const agentRegister = defineKind({
  name: "agent_register",
  tag: 16,
  codec: struct({ name: text(64), parent: option(id), account: option(id) }),
  fixes: "execution",
  fault: ({ name }) => nameFault(name),
  apply(context, { parent, name, account }) {
    const line = lineAbove(context, parent);
    checkAccount(context, line, account);
    return makeAgent(context, line, { name, account }).event;
  },
});

/** Why a name is none of an agent, or null. */
export function nameFault(name: string): string | null {
  const legal = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && !isHex64(name);
  return legal ? null : "a name is none";
}

/**
 * The line that agents are made under: that of the acting agent, or none under the person that acts.
 * @throws {Failure} when the parent does not act, may not, or is too deep.
 */
export function lineAbove(context: Context, id: string | null): readonly Agent[] {
  if (id === null) return [];
  const line = lineOf(context, id);
  checkActs(context, line);
  const [{ identity: parent }] = line;
  if (parent.depth >= MAX_DEPTH) invalid("agents can be at most 8 deep");
  return line;
}

function principalOf(context: Context, line: readonly Agent[]): string {
  return line[0]?.identity.principal ?? context.account;
}

/** @throws {Failure} when an agent under the line cannot act with an account. */
export function checkAccount(
  context: Context,
  line: readonly Agent[],
  account: string | null,
): void {
  const principal = principalOf(context, line);
  if (account === principal || line.some(({ identity }) => identity.account === account)) {
    invalid("an agent cannot act with the account of who stands above it");
  }
}

/** Makes an agent under the line, keyless without an account, and tells of it. */
export function makeAgent(
  context: Context,
  line: readonly Agent[],
  wanted: { readonly name: string; readonly account: string | null },
): { readonly agent: string; readonly event: Value } {
  const { name } = wanted;
  const principal = principalOf(context, line);
  const parent = line[0]?.id ?? null;
  let account = "";
  const agent = context.make("identity", (made) => {
    account = wanted.account ?? accountOf(context.policy, idBytes(made));
    return {
      name,
      principal,
      parent,
      account,
      keyless: wanted.account === null,
      depth: (line[0]?.identity.depth ?? 0) + 1,
      registered: context.pulse,
      suspensions: [],
      revoked: null,
    };
  });
  return { agent, event: { AgentRegistered: { account, agent, name, parent, principal } } };
}
