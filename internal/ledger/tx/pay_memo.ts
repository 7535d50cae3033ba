/** Payment to one account, with 32 bytes that say what it is for. */
import { id, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { defineTxKind } from "../kind.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";

const codec = struct({
  asset: id,
  payee: id,
  /** Micro-units. */
  amount: u64,
  /** Any 32 bytes; what they mean is between payer and payee. */
  memo: id,
});

/** Body of `pay_memo`. */
export type PayMemoBody = ValueOf<typeof codec>;

function what({ asset, payee, amount, memo }: PayMemoBody, say: Say): string {
  return `${say.amount(amount, asset)} to ${say.account(payee)} with memo ${say.short(memo)}`;
}

export const payMemo = defineTxKind({
  name: "pay_memo",
  tag: 3,
  since: "1.0",
  certificateFixes: "outcome",
  body: codec,
  check: ({ amount }: PayMemoBody) => amount === 0n ? "an amount must be above 0" : undefined,
  spendBound: ({ asset, amount }) => ({ asset, amount }),
  intent: (body, say) => `Pay ${what(body, say)}`,
  apply(view: View, { asset, payee, amount, memo }) {
    view.debit(asset, amount);
    view.credit(payee, asset, amount);
    view.emit("TransferredWithMemo", { asset, memo, outputs: [[payee, amount]] });
  },
  tells: {
    TransferredWithMemo(fields, say) {
      const asset = fields.id("asset");
      const paid = fields.payments("outputs").map(([account, amount]) =>
        `${say.amount(amount, asset)} to ${say.account(account)}`
      );
      return `paid ${say.list(paid)} with memo ${say.short(fields.id("memo"))}`;
    },
  },
  done: (_receipt, body, say) => `paid ${what(body, say)}`,
});
