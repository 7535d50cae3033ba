/** Payment from the acting account to one or more accounts. */
import { id, list, struct, tuple, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { MAX_SUPPLY } from "../objects/asset.ts";
import { defineTxKind } from "../kind.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";

/** Outputs of one payment. */
const MAX_OUTPUTS = 64;

const codec = struct({
  asset: id,
  /** Who gets how many micro-units. */
  outputs: list(tuple(id, u64), MAX_OUTPUTS),
});

/** Body of `pay`. */
export type PayBody = ValueOf<typeof codec>;

function total({ outputs }: PayBody): bigint {
  return outputs.reduce((sum, [, amount]) => sum + amount, 0n);
}

function parts({ asset, outputs }: PayBody, say: Say): string {
  return say.list(
    outputs.map(([account, amount]) => `${say.amount(amount, asset)} to ${say.account(account)}`),
  );
}

export const pay = defineTxKind({
  name: "pay",
  tag: 1,
  since: "1.0",
  certificateFixes: "outcome",
  body: codec,
  check(body: PayBody) {
    if (body.outputs.length === 0) return "a payment has no outputs";
    if (body.outputs.some(([, amount]) => amount === 0n)) return "an amount must be above 0";
    return total(body) > MAX_SUPPLY ? "the amounts together are too large" : undefined;
  },
  spendBound: (body) => ({ asset: body.asset, amount: total(body) }),
  intent: (body, say) => `Pay ${parts(body, say)}`,
  apply(view: View, body) {
    view.debit(body.asset, total(body));
    for (const [account, amount] of body.outputs) view.credit(account, body.asset, amount);
    view.emit("Transferred", { asset: body.asset, outputs: body.outputs });
  },
  tells: {
    Transferred(fields, say) {
      const asset = fields.id("asset");
      const paid = fields.payments("outputs").map(([account, amount]) =>
        `${say.amount(amount, asset)} to ${say.account(account)}`
      );
      return `paid ${say.list(paid)}`;
    },
  },
  done: (_receipt, body, say) => `paid ${parts(body, say)}`,
});
