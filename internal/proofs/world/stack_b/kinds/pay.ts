/** `pay`: money from the acting account to up to 64 accounts. */
import { id, list, struct, u64 } from "#internal/core/mod.ts";
import { defineKind } from "../kind.ts";

const MAX_U64 = 2n ** 64n - 1n;

/** docs/protocol/ledger.md, pay. */
export const pay = defineKind({
  name: "pay",
  tag: 1,
  codec: struct({ asset: id, outputs: list(struct({ account: id, amount: u64 }), 64) }),
  fixes: "outcome",
  fault(body) {
    if (body.outputs.length === 0) return "a payment has no outputs";
    if (body.outputs.some((output) => output.amount === 0n)) return "an output is 0";
    return sum(body.outputs) > MAX_U64 ? "the outputs are more than 64 bits hold" : null;
  },
  apply(context, body) {
    context.take(body.asset, sum(body.outputs));
    for (const output of body.outputs) context.credit(output.account, body.asset, output.amount);
    const outputs = body.outputs.map((output) => [output.account, output.amount]);
    return { Transferred: { asset: body.asset, outputs } };
  },
});

function sum(outputs: readonly { readonly amount: bigint }[]): bigint {
  return outputs.reduce((total, output) => total + output.amount, 0n);
}
