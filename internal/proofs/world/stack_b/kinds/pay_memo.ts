/** `pay_memo`: money from the acting account to one account, with 32 bytes that say what for. */
import { id, struct, u64 } from "#internal/core/mod.ts";
import { defineKind } from "../kind.ts";

/** docs/protocol/ledger.md, pay_memo. */
export const payMemo = defineKind({
  name: "pay_memo",
  tag: 3,
  codec: struct({ asset: id, payee: id, amount: u64, memo: id }),
  fixes: "outcome",
  fault: (body) => body.amount === 0n ? "the amount is 0" : null,
  apply(context, { asset, payee, amount, memo }) {
    context.take(asset, amount);
    context.credit(payee, asset, amount);
    return { TransferredWithMemo: { asset, memo, outputs: [[payee, amount]] } };
  },
});
