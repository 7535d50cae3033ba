/** Who stands above an agent, and whether it may act. docs/protocol/ledger.md, Above. */
import type { Context } from "./context.ts";
import { short, unauthorized } from "./failure.ts";
import type { Identity } from "./objects.ts";

/** An identity with its id. */
export interface Agent {
  readonly id: string;
  readonly identity: Identity;
}

/** An agent and its parents, from itself upwards. Never empty. */
export function lineOf(context: Context, agent: string): readonly [Agent, ...Agent[]] {
  const first: Agent = { id: agent, identity: context.get("identity", agent) };
  const line: [Agent, ...Agent[]] = [first];
  for (let up = first.identity.parent; up !== null;) {
    const parent = { id: up, identity: context.get("identity", up) };
    line.push(parent);
    up = parent.identity.parent;
  }
  return line;
}

/** What keeps an agent from acting: `agent suspended`, `agent revoked above`, or null. */
export function standingOf(line: readonly Agent[]): string | null {
  for (const [steps, { identity }] of line.entries()) {
    const above = steps > 0 ? " above" : "";
    if (identity.revoked !== null) return `agent revoked${above}`;
    if (identity.suspensions.length > 0) return `agent suspended${above}`;
  }
  return null;
}

/** The acting account must be that of the first of the line, which must be in good standing. */
export function checkActs(context: Context, line: readonly Agent[]): void {
  const [agent] = line;
  if (agent?.identity.account !== context.account) {
    unauthorized(`the account is not that of agent ${short(agent?.id ?? "")}`);
  }
  checkGood(line);
}

function checkGood(line: readonly Agent[]): void {
  const standing = standingOf(line);
  if (standing === null) return;
  unauthorized(`agent ${short(line[0]?.id ?? "")} is not in good standing: ${standing}`);
}

/** Where someone stands above an agent. */
export interface Above {
  /** 0 of the principal, of an agent its depth. */
  readonly level: number;
  /** The identity that acts; null of the principal. */
  readonly agent: string | null;
}

/**
 * Where the acting account stands above the agent whose line is given: as the principal, or as an
 * ancestor in good standing.
 * @param may ends the reason, as `suspend it`.
 * @throws {Failure} `unauthorized` when it does not stand above.
 */
export function standAbove(
  context: Context,
  line: readonly [Agent, ...Agent[]],
  may: string,
): Above {
  const [agent, ...above] = line;
  if (agent.identity.principal === context.account) return { level: 0, agent: null };
  const steps = above.findIndex(({ identity }) => identity.account === context.account);
  const acting = above[steps];
  if (!acting) return unauthorized(`only who stands above agent ${short(agent.id)} may ${may}`);
  checkGood(above.slice(steps));
  return { level: acting.identity.depth, agent: acting.id };
}
