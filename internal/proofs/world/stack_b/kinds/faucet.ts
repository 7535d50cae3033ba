/** `faucet`: makes money, on chains whose USD asset allows it. */
import { id, struct, u64 } from "#internal/core/mod.ts";
import { USD } from "../context.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";

/** The most of one transaction: 1,000,000 USD in micro-units. */
const MAX_MINTED = 1_000_000n * 1_000_000n;
const MAX_U64 = 2n ** 64n - 1n;

/** docs/protocol/ledger.md, faucet. */
export const faucet = defineKind({
  name: "faucet",
  tag: 2,
  codec: struct({ account: id, amount: u64 }),
  fixes: "execution",
  fault(body) {
    if (body.amount === 0n) return "an amount is 0";
    return body.amount > MAX_MINTED ? "more than a faucet gives at once" : null;
  },
  apply(context, body) {
    const asset = context.get("asset", USD);
    if (!asset.faucetAllowed) invalid("this chain has no faucet");
    const minted = asset.faucet + body.amount;
    if (asset.genesis + minted > MAX_U64) invalid("more than the ledger can hold");
    context.put("asset", USD, { ...asset, faucet: minted });
    context.credit(body.account, USD, body.amount);
    return { Minted: { account: body.account, amount: body.amount, asset: USD } };
  },
});
