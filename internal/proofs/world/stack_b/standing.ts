/** Who stands above an agent, and whether it may act. docs/protocol/ledger.md, Above. */
import type { Context } from "./context.ts";
import { unauthorized } from "./failure.ts";
import type { Identity } from "./objects.ts";

/** An identity and its parents, from itself upwards. */
export function lineOf(context: Context, agent: string): Identity[] {
  const line = [context.get("identity", agent)];
  for (let up = line[0]?.parent ?? null; up !== null;) {
    const parent = context.get("identity", up);
    line.push(parent);
    up = parent.parent;
  }
  return line;
}

/** What keeps an agent from acting: `agent suspended`, `agent revoked above`, or null. */
export function standingOf(line: readonly Identity[]): string | null {
  for (const [steps, identity] of line.entries()) {
    const above = steps > 0 ? " above" : "";
    if (identity.revoked !== null) return `agent revoked${above}`;
    if (identity.suspensions.length > 0) return `agent suspended${above}`;
  }
  return null;
}

/**
 * The level at which the acting account stands above the agent whose line is given: 0 of the
 * principal, of an ancestor in good standing its depth.
 * @throws {Failure} `unauthorized` when it does not stand above.
 */
export function levelAbove(context: Context, line: readonly Identity[]): number {
  const agent = line[0] as Identity;
  if (agent.principal === context.account) return 0;
  for (let steps = 1; steps < line.length; steps++) {
    const ancestor = line[steps] as Identity;
    if (ancestor.account !== context.account) continue;
    const standing = standingOf(line.slice(steps));
    if (standing !== null) unauthorized(standing);
    return ancestor.depth;
  }
  return unauthorized("only who stands above the agent may do that");
}
