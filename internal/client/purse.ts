/** The charter and allotment that an agent pays from when nobody says which. */
import type { JsonValue } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { Context } from "./context.ts";
import { listObjects } from "./objects.ts";
import type { Abortable, Purse } from "./types.ts";

/**
 * The purse that is in force and has the most money left; of equals the one made last. Undefined when
 * there is none.
 */
export async function purseOf(
  context: Context,
  agent: string,
  options: Abortable = {},
): Promise<Purse | undefined> {
  const [charters, status] = await Promise.all([
    listObjects(context, "charter", { member: "agent", equals: agent }, options),
    context.rpc.status({}, options),
  ]);
  const inForce = charters.filter(({ object: { revoked, expires } }) => {
    const over = expires !== null && expires !== undefined && Number(expires) < status.pulse;
    return (revoked === null || revoked === undefined) && !over;
  });
  const purses = (await Promise.all(inForce.map(async (charter): Promise<Purse[]> => {
    const where = { member: "charter", equals: charter.id };
    const allotments = await listObjects(context, "allotment", where, options);
    return allotments.map((allotment) => ({
      charter,
      allotment,
      balance: amountOf(allotment.object["balance"]),
    }));
  }))).flat();
  return purses.toSorted((a, b) => {
    if (a.balance !== b.balance) return a.balance > b.balance ? -1 : 1;
    return Number(b.allotment.object["made"]) - Number(a.allotment.object["made"]);
  })[0];
}

function amountOf(value: JsonValue | undefined): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return BigInt(value);
  throw new SionError("node-error", "the node gave no amount where one belongs: ask another node");
}
