/**
 * Takes money out of an allotment, back to where it came from: the balance of who gave it, or the
 * allotment it was drawn from. By who gave it or stands above.
 */
import { formatUsdGrouped, id, option, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { Known } from "../delegation.ts";
import { levelAbove, lineOf } from "../delegation.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { allotmentKind } from "../objects/allotment.ts";
import { charterKind } from "../objects/charter.ts";
import type { Identity } from "../objects/identity.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";

const codec = struct({
  allotment: id,
  /** Micro-USD; null for all that is left. */
  amount: option(u64),
});

/** Body of `allotment_reclaim`. */
export type AllotmentReclaimBody = ValueOf<typeof codec>;

/** Where the giver stands above the agent that the line begins with. */
function giverLevel(line: readonly Known<Identity>[], giver: string): number {
  const [agent, ...above] = line;
  if (agent?.value.principal === giver) return 0;
  return above.find(({ value }) => value.account === giver)?.value.depth ?? 0;
}

export const allotmentReclaim = defineTxKind({
  name: "allotment_reclaim",
  tag: 33,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ amount }: AllotmentReclaimBody) =>
    amount === 0n ? "an amount must be above 0" : undefined,
  touches: ({ allotment }) => ({ shared: [allotment] }),
  intent: ({ allotment, amount }, say) =>
    `Reclaim ${amount === null ? "what is left" : say.amount(amount)} ` +
    `from allotment ${say.short(allotment)}`,
  apply(view: View, { allotment: id, amount: wanted }) {
    const allotment = view.need(allotmentKind, id);
    const line = lineOf(view, view.need(charterKind, allotment.charter).agent);
    const level = levelAbove(view, line, "reclaim its allotment");
    view.require(
      level <= giverLevel(line, allotment.giver),
      "unauthorized",
      "only who gave the allotment, or stands above, may reclaim it",
    );
    const { balance, source, giver, asset } = allotment;
    const amount = wanted ?? balance;
    view.require(amount > 0n, "invalid transaction", "the allotment is empty");
    view.require(
      amount <= balance,
      "invalid transaction",
      `the allotment holds only ${formatUsdGrouped(balance)} USD`,
    );
    view.put(allotmentKind, id, { ...allotment, balance: balance - amount });
    if (source === null) {
      view.credit(giver, asset, amount);
    } else {
      const to = view.need(allotmentKind, source);
      view.put(allotmentKind, source, { ...to, balance: to.balance + amount });
    }
    view.emit("AllotmentReclaimed", {
      allotment: id,
      amount,
      giver,
      left: balance - amount,
      source,
    });
  },
  tells: {
    AllotmentReclaimed: told,
  },
  done: (receipt, _body, say) => told(eventOf(receipt, "AllotmentReclaimed"), say),
});

function told(fields: EventFields, say: Say): string {
  return `${say.amount(fields.amount("amount"))} reclaimed from allotment ` +
    `${say.short(fields.id("allotment"))}, ${say.amount(fields.amount("left"))} left`;
}
