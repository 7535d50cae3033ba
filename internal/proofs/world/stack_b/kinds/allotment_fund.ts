/** `allotment_fund`: puts money under a charter, from an account or from an allotment above. */
import { id, option, struct, u64 } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { invalid, unauthorized, usd, violated } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Allotment, Charter } from "../objects.ts";
import type { Value } from "../receipt.ts";
import { checkActs, lineOf, standAbove } from "../standing.ts";

/** docs/protocol/ledger.md, allotment_fund. */
export const allotmentFund = defineKind({
  name: "allotment_fund",
  tag: 32,
  codec: struct({ charter: id, allotment: option(id), source: option(id), amount: u64 }),
  fixes: "execution",
  fault({ allotment, source, amount }) {
    if (amount === 0n) return "an amount is 0";
    return allotment !== null && allotment === source ? "an allotment funds itself" : null;
  },
  apply(context, body) {
    const charter = context.get("charter", body.charter);
    standAbove(context, lineOf(context, charter.agent), "fund its charter");
    const ended = endOf(context, charter);
    if (ended !== null) invalid(`the charter is ${ended}`);
    if (body.source === null) context.take(USD, body.amount);
    else takeFromParent(context, charter, body.source, body.amount);
    if (body.allotment === null) return makeAllotment(context, body);
    add(context, { ...body, allotment: body.allotment });
    return funded(context, body.allotment, body);
  },
});

/** Where money goes and comes from. */
interface Funding {
  readonly charter: string;
  readonly source: string | null;
  /** Micro-USD. */
  readonly amount: bigint;
}

/** The event. */
function funded(
  context: Context,
  allotment: string,
  { charter, source, amount }: Funding,
): Value {
  return { AllotmentFunded: { allotment, amount, charter, giver: context.account, source } };
}

/** Why a charter allows nothing any more, or null. */
function endOf(context: Context, charter: Charter): string | null {
  if (charter.revoked !== null) return "revoked";
  const { expires } = charter.caveats;
  return expires !== null && expires < context.pulse ? "expired" : null;
}

/** Takes the money from an allotment of the parent charter, by that charter's agent. */
function takeFromParent(context: Context, charter: Charter, id: string, amount: bigint): void {
  const source = readSource(context, id, charter.parent);
  const parent = context.get("charter", source.charter);
  checkActs(context, lineOf(context, parent.agent));
  const ended = endOf(context, parent);
  if (ended !== null) violated(`narrowed above: ${ended}`);
  takeFromSource(context, id, source, amount);
}

/** An allotment that money is to come from. @throws {Failure} unless it is of the charter above. */
export function readSource(context: Context, id: string, above: string | null): Allotment {
  const source = context.get("allotment", id);
  if (source.charter !== above) {
    invalid("the money must come from an allotment of the charter above");
  }
  return source;
}

/** @throws {Failure} when the source holds less. */
export function takeFromSource(
  context: Context,
  id: string,
  source: Allotment,
  amount: bigint,
): void {
  if (source.balance < amount) violated(`allotment holds only ${usd(source.balance)} USD`);
  context.put("allotment", id, { ...source, balance: source.balance - amount });
}

/** Makes an allotment of money that was taken from where it comes from, and tells of it. */
export function makeAllotment(context: Context, funding: Funding): Value {
  const { charter, source, amount } = funding;
  const allotment = context.make("allotment", () => ({
    charter,
    giver: context.account,
    source,
    asset: USD,
    balance: amount,
    spent: 0n,
    made: context.pulse,
  }));
  return funded(context, allotment, funding);
}

/** Adds to an allotment of the same charter, giver and source. */
function add(
  context: Context,
  body: Funding & { readonly allotment: string },
): void {
  const known = context.get("allotment", body.allotment);
  if (known.charter !== body.charter) invalid("the allotment is not one of this charter");
  if (known.giver !== context.account || known.source !== body.source) {
    unauthorized("only who gave the allotment may add to it, from where it came");
  }
  context.put("allotment", body.allotment, { ...known, balance: known.balance + body.amount });
}
