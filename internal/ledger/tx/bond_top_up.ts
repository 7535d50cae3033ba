/** Puts more money at stake in a bond that the acting account posted. */
import { struct, text, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { bondId, labelFault, MAX_LABEL_BYTES } from "../claims/atom.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { bondKind } from "../objects/bond.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { bondOf, needBond } from "./_backing.ts";

const codec = struct({
  label: text(MAX_LABEL_BYTES),
  /** Micro-USD. */
  amount: u64,
});

/** Body of `bond_top_up`. */
export type BondTopUpBody = ValueOf<typeof codec>;

export const bondTopUp = defineTxKind({
  name: "bond_top_up",
  tag: 49,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ label, amount }: BondTopUpBody) =>
    amount === 0n ? "an amount must be above 0" : labelFault(label),
  spendBound: ({ amount }) => ({ asset: USD, amount }),
  touches: ({ label }, account) => ({ shared: [bondId({ account, label })] }),
  intent: ({ label, amount }, say) => `Put ${say.amount(amount)} more at stake as bond ${label}`,
  apply(view: View, { label, amount }) {
    const account = view.actor;
    const id = bondId({ account, label });
    const bond = needBond(view, id);
    view.debit(USD, amount);
    view.put(bondKind, id, { ...bond, amount: bond.amount + amount });
    view.emit("BondToppedUp", { account, amount, bond: id, label });
  },
  tells: {
    BondToppedUp: (fields, say) => told(fields.amount("amount"), bondOf(fields, say), say),
  },
  done: (_receipt, { label, amount }, say) => told(amount, label, say),
});

function told(amount: bigint, bond: string, say: Say): string {
  return `${say.amount(amount)} more at stake as bond ${bond}`;
}
