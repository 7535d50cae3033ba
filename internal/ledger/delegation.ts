/**
 * Who stands above whom, and what an agent may do. All is found by walking up from one object, at
 * most {@link MAX_AGENT_DEPTH} steps, so that what happens above binds everything below at once.
 */
import { shortId } from "#internal/core/mod.ts";
import type { Charter } from "./objects/charter.ts";
import { charterKind } from "./objects/charter.ts";
import type { Identity } from "./objects/identity.ts";
import type { Standing } from "./objects/identity.ts";
import { identityKind, MAX_AGENT_DEPTH, ownStanding } from "./objects/identity.ts";
import type { LedgerState } from "./state.ts";
import type { View } from "./view.ts";

/** An identity with its id. */
export interface Known<T> {
  readonly id: string;
  readonly value: T;
}

/** The agent and the agents above it, itself first. Fails when there is no such agent. */
export function lineOf(
  view: View,
  agent: string,
): readonly [Known<Identity>, ...Known<Identity>[]] {
  const line: [Known<Identity>, ...Known<Identity>[]] = [{
    id: agent,
    value: view.need(identityKind, agent),
  }];
  for (let parent = line[0].value.parent; parent !== null;) {
    const value = view.need(identityKind, parent);
    line.push({ id: parent, value });
    parent = value.parent;
    if (line.length > MAX_AGENT_DEPTH) throw new TypeError(`Too many agents above ${agent}`);
  }
  return line;
}

/** The fault in the standing of the agent that a line begins with, or undefined when it is good. */
export function standingFault(line: readonly Known<Identity>[]): string | undefined {
  for (const [steps, { value }] of line.entries()) {
    const standing = ownStanding(value);
    if (standing !== "good") return steps === 0 ? `agent ${standing}` : `agent ${standing} above`;
  }
  return undefined;
}

/**
 * How an agent stands in a state: the gravest of its own standing and of all above it. Undefined
 * when there is no such agent.
 */
export function standingOf(state: LedgerState, agent: string): Standing | undefined {
  let worst: Standing | undefined;
  for (let id: string | null = agent; id !== null;) {
    const object = state.at(id);
    if (object?.kind !== identityKind.name) return worst;
    const identity = object.value as Identity;
    const standing = ownStanding(identity);
    if (worst === undefined || STANDINGS.indexOf(standing) > STANDINGS.indexOf(worst)) {
      worst = standing;
    }
    id = identity.parent;
  }
  return worst;
}

/** From the best to the gravest. */
const STANDINGS: readonly Standing[] = ["good", "suspended", "revoked"];

/**
 * Where the acting account stands above the agent that the line begins with: 0 is the person at the
 * top, n the ancestor at depth n. Fails unless it stands above, and in good standing if an agent.
 * @param what what only those above may do: `suspend it`
 */
export function levelAbove(view: View, line: readonly Known<Identity>[], what: string): number {
  const [agent, ...ancestors] = line;
  if (agent === undefined) throw new TypeError("A line of agents is empty");
  if (agent.value.principal === view.actor) return 0;
  let fault = `only who stands above agent ${shortId(agent.id)} may ${what}`;
  for (const [at, { id, value }] of ancestors.entries()) {
    if (value.account !== view.actor) continue;
    const standing = standingFault(ancestors.slice(at));
    if (standing === undefined) return value.depth;
    fault = `agent ${shortId(id)} is not in good standing: ${standing}`;
  }
  return view.fail("unauthorized", fault);
}

/**
 * The acting account's own agent, in good standing, whose line is returned. Fails unless the acting
 * account is that agent's.
 */
export function actingAgent(view: View, agent: string): readonly Known<Identity>[] {
  const line = lineOf(view, agent);
  view.require(
    line[0].value.account === view.actor,
    "unauthorized",
    `the account is not that of agent ${shortId(agent)}`,
  );
  const fault = standingFault(line);
  view.require(
    fault === undefined,
    "unauthorized",
    `agent ${shortId(agent)} is not in good standing: ${fault}`,
  );
  return line;
}

/** A charter and those it is under, itself first. Fails when there is no such charter. */
export function chartersAbove(view: View, charter: string): readonly Known<Charter>[] {
  const chain: Known<Charter>[] = [];
  for (let id: string | null = charter; id !== null;) {
    const value: Charter = view.need(charterKind, id);
    chain.push({ id, value });
    id = value.parent;
    if (chain.length > MAX_AGENT_DEPTH) throw new TypeError(`Too many charters above ${charter}`);
  }
  return chain;
}
