/**
 * Puts money in escrow under a charter: a new allotment, or more for one that the acting account
 * gave. It comes from the acting account's balance or, when an agent gives it, from an allotment of
 * the charter above.
 */
import { id, option, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { actingAgent, levelAbove, lineOf } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import { allotmentKind } from "../objects/allotment.ts";
import { USD } from "../objects/asset.ts";
import type { Charter } from "../objects/charter.ts";
import { charterEnd, charterKind } from "../objects/charter.ts";
import { fieldsOf } from "../receipt.ts";
import type { View } from "../view.ts";
import { drawFrom, makeAllotment, tellFunded } from "./_new_agents.ts";

const codec = struct({
  charter: id,
  /** The allotment to add to; null for a new one. */
  allotment: option(id),
  /** The allotment that the money comes from; null for the acting account's balance. */
  source: option(id),
  /** Micro-USD. */
  amount: u64,
});

/** Body of `allotment_fund`. */
export type AllotmentFundBody = ValueOf<typeof codec>;

/** Takes the money out of the acting agent's own allotment of the charter above. */
function drawBelow(view: View, source: string, charter: Charter, amount: bigint): void {
  const from = view.need(allotmentKind, source);
  view.require(
    charter.parent !== null && from.charter === charter.parent,
    "invalid transaction",
    "the money must come from an allotment of the charter above",
  );
  const above = view.need(charterKind, charter.parent);
  actingAgent(view, above.agent);
  const end = charterEnd(above, view);
  view.require(end === undefined, "charter caveat violated", `narrowed above: ${end}`);
  drawFrom(view, source, from, amount);
}

function topUp(view: View, id: string, { charter, source, amount }: AllotmentFundBody): void {
  const allotment = view.need(allotmentKind, id);
  view.require(
    allotment.charter === charter,
    "invalid transaction",
    "the allotment is not one of this charter",
  );
  view.require(
    allotment.giver === view.actor && allotment.source === source,
    "unauthorized",
    "only who gave the allotment may add to it, from where it came",
  );
  view.put(allotmentKind, id, { ...allotment, balance: allotment.balance + amount });
}

export const allotmentFund = defineTxKind({
  name: "allotment_fund",
  tag: 32,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ amount, allotment, source }: AllotmentFundBody) => {
    if (amount === 0n) return "an amount must be above 0";
    return source !== null && source === allotment
      ? "an allotment cannot be funded from itself"
      : undefined;
  },
  spendBound: ({ source, amount }) => source === null ? { asset: USD, amount } : undefined,
  touches: ({ charter, allotment, source }) => ({
    shared: [charter, allotment, source].filter((id) => id !== null),
  }),
  intent({ charter, allotment, source, amount }, say) {
    const to = allotment === null ? "a new allotment" : `allotment ${say.short(allotment)}`;
    const from = source === null ? "" : ` from allotment ${say.short(source)}`;
    return `Put ${say.amount(amount)}${from} into ${to} of charter ${say.short(charter)}`;
  },
  apply(view: View, body) {
    const { source, amount } = body;
    const charter = view.need(charterKind, body.charter);
    levelAbove(view, lineOf(view, charter.agent), "fund its charter");
    const end = charterEnd(charter, view);
    view.require(end === undefined, "invalid transaction", `the charter is ${end}`);
    if (source === null) view.debit(USD, amount);
    else drawBelow(view, source, charter, amount);
    if (body.allotment === null) return makeAllotment(view, body);
    topUp(view, body.allotment, body);
    tellFunded(view, body.allotment, body);
  },
  tells: {
    AllotmentFunded: (fields, say) =>
      `allotment ${say.short(fields.id("allotment"))} of charter ` +
      `${say.short(fields.id("charter"))} funded with ${say.amount(fields.amount("amount"))} ` +
      `by ${say.account(fields.id("giver"))}`,
  },
  done(receipt, { charter, amount }, say) {
    const { allotment } = fieldsOf(receipt, "AllotmentFunded");
    const named = typeof allotment === "string" ? say.short(allotment) : "";
    return `allotment ${named} of charter ${say.short(charter)} ` +
      `funded with ${say.amount(amount)}`;
  },
});
