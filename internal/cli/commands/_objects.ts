/** Charters, allotments and identities as commands show them. */
import { formatUsd, stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { Client, ObjectValue } from "#internal/client/mod.ts";

type Fields = { readonly [member: string]: JsonValue };

/** Decimal USD of a member that counts micro-units; null stays null. */
export function usdOf(value: JsonValue | undefined): string | null {
  return typeof value === "number" || typeof value === "bigint" ? formatUsd(BigInt(value)) : null;
}

/** A member as text: an id, a name, a number. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : stringifyJson(value ?? null);
}

/** A charter with its id, amounts in decimal USD. */
export function charterValue({ id, object }: ObjectValue): Fields {
  const bucket = object["bucket"] as Fields | null | undefined;
  return {
    ...object,
    charter: id,
    max_payment: usdOf(object["max_payment"]),
    bucket: bucket === null || bucket === undefined ? null : {
      ...bucket,
      capacity: usdOf(bucket["capacity"]),
      refill: usdOf(bucket["refill"]),
      level: usdOf(bucket["level"]),
    },
  };
}

/** An allotment with its id, amounts in decimal USD. */
export function allotmentValue({ id, object }: ObjectValue): Fields {
  return {
    ...object,
    allotment: id,
    balance: usdOf(object["balance"]),
    spent: usdOf(object["spent"]),
  };
}

/** The allotments under a charter. */
export async function allotmentsOf(
  client: Client,
  charter: string,
  signal: AbortSignal,
): Promise<readonly ObjectValue[]> {
  return await client.objects("allotment", { member: "charter", equals: charter }, { signal });
}

/** How an agent stands, with all above it: `good`, `suspended` or `revoked`. */
export function standingOf(agent: string, all: ReadonlyMap<string, ObjectValue>): string {
  let standing = "good";
  for (let at: ObjectValue | undefined = all.get(agent); at !== undefined;) {
    const own = at.object["own_standing"];
    if (own === "revoked") return "revoked";
    if (own === "suspended") standing = "suspended";
    const parent: JsonValue | undefined = at.object["parent"];
    at = typeof parent === "string" ? all.get(parent) : undefined;
  }
  return standing;
}

/** All agents by id. */
export async function allAgents(
  client: Client,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ObjectValue>> {
  const agents = await client.objects("identity", undefined, { signal });
  return new Map(agents.map((agent) => [agent.id, agent]));
}

/** What a charter stands with. */
export interface CharterSurroundings {
  /** As `standingOf` says of its agent. */
  readonly standing: string;
  /** Those under it. */
  readonly allotments: readonly ObjectValue[];
}

/**
 * What a charter allows, as one line, and what keeps it from being used. `name` tells an account's
 * name.
 */
export function termsOf(
  charter: ObjectValue,
  name: (id: string) => string,
  { standing, allotments }: CharterSurroundings,
): string {
  const { payees, max_payment, bucket, expires, receipts, revoked } = charterValue(charter);
  const terms = [
    Array.isArray(payees)
      ? `pays ${(payees as string[]).map(name).join(", ") || "nobody"}`
      : "pays anyone",
  ];
  if (max_payment !== null) terms.push(`at most ${textOf(max_payment)} USD a payment`);
  if (bucket !== null) {
    const { capacity, refill, level, period_ms } = bucket as Fields;
    const back = refill === "0"
      ? ""
      : `, ${textOf(refill)} back every ${timeOf(Number(period_ms))}`;
    terms.push(`${textOf(level)} of ${textOf(capacity)} USD now${back}`);
  }
  if (expires !== null) terms.push(`until Pulse ${textOf(expires)}`);
  if (receipts === true) terms.push("a receipt claim each");
  const left = allotments.reduce((sum, { object }) => sum + BigInt(Number(object["balance"])), 0n);
  if (left === 0n) terms.push("0 USD allotted");
  if (revoked !== null) terms.push("revoked");
  if (standing !== "good") terms.push(`the agent is ${standing}`);
  return terms.join("; ");
}

const PERIODS: readonly (readonly [ms: number, name: string])[] = [
  [604_800_000, "week"],
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];

function timeOf(periodMs: number): string {
  const [ms, name] = PERIODS.find(([unit]) => periodMs % unit === 0) ?? [1, "ms"];
  const count = periodMs / ms;
  return count === 1 ? name : `${count} ${name}${name === "ms" ? "" : "s"}`;
}
