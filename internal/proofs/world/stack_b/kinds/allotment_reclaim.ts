/** `allotment_reclaim`: takes money back from an allotment. */
import { id, option, struct, u64 } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { invalid, unauthorized, usd } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { BodyOf } from "../objects.ts";
import { lineOf, standAbove } from "../standing.ts";

/** docs/protocol/ledger.md, allotment_reclaim. */
export const allotmentReclaim = defineKind({
  name: "allotment_reclaim",
  tag: 33,
  codec: struct({ allotment: id, amount: option(u64) }),
  fixes: "execution",
  fault: ({ amount }) => amount === 0n ? "an amount is 0" : null,
  apply(context, body) {
    const allotment = context.get("allotment", body.allotment);
    checkMay(context, allotment);
    const amount = body.amount ?? allotment.balance;
    if (amount === 0n) invalid("the allotment is empty");
    if (amount > allotment.balance) {
      invalid(`the allotment holds only ${usd(allotment.balance)} USD`);
    }
    const left = allotment.balance - amount;
    context.put("allotment", body.allotment, { ...allotment, balance: left });
    const { giver, source } = allotment;
    if (source === null) context.credit(giver, allotment.asset, amount);
    else {
      const above = context.get("allotment", source);
      context.put("allotment", source, { ...above, balance: above.balance + amount });
    }
    return { AllotmentReclaimed: { allotment: body.allotment, amount, giver, left, source } };
  },
});

/** Who stands above the charter's agent may, at the giver's level or higher. */
function checkMay(context: Context, allotment: BodyOf<"allotment">): void {
  const charter = context.get("charter", allotment.charter);
  const line = lineOf(context, charter.agent);
  const { level } = standAbove(context, line, "reclaim its allotment");
  const giver = line.slice(1).find(({ identity }) => identity.account === allotment.giver);
  const giversLevel = giver?.identity.depth ?? 0;
  if (level > giversLevel) {
    unauthorized("only who gave the allotment, or stands above, may reclaim it");
  }
}
