/** New money for an account, where the chain allows it: on a devnet. Who asks pays the fee. */
import { id, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import type { View } from "../view.ts";

/** Micro-USD that one transaction can make: a million USD. */
const MAX_FAUCET_AMOUNT = 1_000_000_000_000n;

const codec = struct({ account: id, amount: u64 });

/** Body of `faucet`. */
export type FaucetBody = ValueOf<typeof codec>;

export const faucet = defineTxKind({
  name: "faucet",
  tag: 2,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check({ amount }: FaucetBody) {
    if (amount === 0n) return "an amount must be above 0";
    return amount > MAX_FAUCET_AMOUNT ? "the faucet gives at most 1,000,000 USD" : undefined;
  },
  touches: () => ({ shared: [USD] }),
  intent: ({ account, amount }, say) => `Mint ${say.amount(amount)} for ${say.account(account)}`,
  apply(view: View, { account, amount }) {
    view.mint(USD, account, amount);
    view.emit("Minted", { account, amount, asset: USD });
  },
  tells: {
    Minted: (fields, say) =>
      `minted ${say.amount(fields.amount("amount"), fields.id("asset"))} ` +
      `for ${say.account(fields.id("account"))}`,
  },
  done: (_receipt, { account, amount }, say) =>
    `minted ${say.amount(amount)} for ${say.account(account)}`,
});
