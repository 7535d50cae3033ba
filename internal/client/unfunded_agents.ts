/** Agents that were spawned by a process that ended before it moved their fee money. */
import type { AccountId, JsonValue, ObjectId } from "#internal/core/mod.ts";
import type { Context } from "./context.ts";
import { usdOf } from "./lane.ts";
import { listObjects, textMember } from "./objects.ts";
import type { Abortable, ObjectValue, SpawnedAgents } from "./types.ts";

/** An agent as it is to be made. */
export interface WantedAgent {
  readonly name: string;
  /** Null for a keyless agent. */
  readonly account: AccountId | null;
  /** Micro-USD of its allotment; null for an agent without a charter. */
  readonly budget: bigint | null;
}

/**
 * The wanted agents where all of them are under the parent already, each with its budget untouched,
 * and got no fee money; else undefined. Fee money goes to all at once, so whether it came is seen by
 * the accounts that nothing else uses: those of keyless agents, where there is one.
 */
export async function unfundedAgents(
  context: Context,
  parent: ObjectValue,
  wanted: readonly WantedAgent[],
  options: Abortable,
): Promise<SpawnedAgents["agents"] | undefined> {
  const where = { member: "principal", equals: textMember(parent, "principal") };
  const siblings = (await listObjects(context, "identity", where, options))
    .filter(({ object }) => object["parent"] === parent.id);
  const found: SpawnedAgents["agents"][number][] = [];
  for (const agent of wanted) {
    const [one, ...others] = siblings.filter(({ object }) => object["name"] === agent.name);
    if (one === undefined || others.length > 0 || !isAs(one, agent)) return undefined;
    const purse = await untouchedPurse(context, one.id, agent.budget, options);
    if (purse === undefined) return undefined;
    const account = textMember(one, "account");
    found.push({ agent: one.id, name: agent.name, account, ...purse });
  }
  const keyless = found.filter((_, at) => wanted[at]?.account === null);
  for (const { account } of keyless.length > 0 ? keyless : found) {
    const view = await context.rpc.account({ account }, options);
    if (usdOf(view) > 0n || view.sequence > 0n) return undefined;
  }
  return found.length === 0 ? undefined : found;
}

function isAs({ object }: ObjectValue, { account }: WantedAgent): boolean {
  return account === null
    ? object["keyless"] === true
    : object["keyless"] !== true && object["account"] === account;
}

/** Charter and allotment of an agent that has just these; undefined when it has others. */
async function untouchedPurse(
  context: Context,
  agent: ObjectId,
  budget: bigint | null,
  options: Abortable,
): Promise<{ charter?: ObjectId; allotment?: ObjectId } | undefined> {
  const ofAgent = { member: "agent", equals: agent };
  const charters = await listObjects(context, "charter", ofAgent, options);
  const [charter] = charters;
  if (budget === null) return charter === undefined ? {} : undefined;
  if (charter === undefined || charters.length > 1) return undefined;
  const ofCharter = { member: "charter", equals: charter.id };
  const allotments = await listObjects(context, "allotment", ofCharter, options);
  const [allotment] = allotments;
  if (allotment === undefined || allotments.length > 1) return undefined;
  return isAmount(allotment.object["balance"], budget)
    ? { charter: charter.id, allotment: allotment.id }
    : undefined;
}

/** The node's numbers are bigints only where they are large. */
function isAmount(value: JsonValue | undefined, amount: bigint): boolean {
  return (typeof value === "number" || typeof value === "bigint") && BigInt(value) === amount;
}
