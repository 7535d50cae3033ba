/** Charters, allotments and identities as commands look them up. How they are shown is the contract's. */
import type { Client, ObjectValue } from "#internal/client/mod.ts";

export {
  allotmentValue,
  charterValue,
  standingOf,
  termsOf,
  textOf,
  usdOf,
} from "#internal/rpc/mod.ts";

/** The allotments under a charter. */
export async function allotmentsOf(
  client: Client,
  charter: string,
  signal: AbortSignal,
): Promise<readonly ObjectValue[]> {
  return await client.objects("allotment", { member: "charter", equals: charter }, { signal });
}

/** All agents by id. */
export async function allAgents(
  client: Client,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ObjectValue>> {
  const agents = await client.objects("identity", undefined, { signal });
  return new Map(agents.map((agent) => [agent.id, agent]));
}
