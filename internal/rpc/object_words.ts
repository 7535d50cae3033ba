/**
 * Words for objects that nodes tell as JSON: charters, allotments, identities, claims, as commands and
 * pages show them alike.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import { formatUsd, shortId, stringifyJson } from "#internal/core/mod.ts";

/** An object with its id, its members as JSON. */
export interface ToldObject {
  readonly id: string;
  readonly object: Fields;
}

/** Agents above one, at most; the ledger lets in half as many. */
const MOST_ABOVE = 16;

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
export function charterValue({ id, object }: ToldObject): Fields {
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
export function allotmentValue({ id, object }: ToldObject): Fields {
  return {
    ...object,
    allotment: id,
    balance: usdOf(object["balance"]),
    spent: usdOf(object["spent"]),
  };
}

/** How an agent stands, with all above it: `good`, `suspended` or `revoked`. */
export function standingOf(agent: string, all: ReadonlyMap<string, ToldObject>): string {
  let standing = "good";
  let steps = 0;
  // What a node tells may go round in circles.
  for (let at: ToldObject | undefined = all.get(agent); at !== undefined && steps < MOST_ABOVE;) {
    steps++;
    const own = at.object["own_standing"];
    if (own === "revoked") return "revoked";
    if (own === "suspended") standing = "suspended";
    const parent: JsonValue | undefined = at.object["parent"];
    at = typeof parent === "string" ? all.get(parent) : undefined;
  }
  return standing;
}

/** What a charter stands with. */
export interface CharterSurroundings {
  /** As `standingOf` says of its agent. */
  readonly standing: string;
  /** Those under it. */
  readonly allotments: readonly ToldObject[];
}

/**
 * What a charter allows, as one line, and what keeps it from being used. `name` tells an account's
 * name.
 */
export function termsOf(
  charter: ToldObject,
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

/** A time in its largest whole unit: `day`, `12 hours`. */
export function timeOf(periodMs: number): string {
  const [ms, name] = PERIODS.find(([unit]) => periodMs % unit === 0) ?? [1, "ms"];
  const count = periodMs / ms;
  return count === 1 ? name : `${count} ${name}${name === "ms" ? "" : "s"}`;
}

/** What a claim states, as one line. */
export function subjectOf({ object }: ToldObject, name: (id: string) => string): string {
  const { subject } = object;
  if (typeof subject === "string") return subject;
  const { amount, payee, purpose } = subject as Fields;
  const why = purpose === "" ? "" : `, for ${textOf(purpose)}`;
  return `paid ${textOf(usdOf(amount))} USD to ${name(textOf(payee))}${why}`;
}

/** What a claim rests on, as one line; its issuer's bonds by the issuer's name, where there is one. */
export function formulaIn(
  { object }: ToldObject,
  names: (id: string) => string | undefined,
): string {
  const issuer = textOf(object["issuer"]);
  const formula = textOf(object["formula"]);
  const name = names(issuer);
  if (name === undefined) return formula;
  return formula.replaceAll(`bond ${shortId(issuer)}:`, `bond ${name}:`);
}
