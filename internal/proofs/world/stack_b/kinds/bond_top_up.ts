/** `bond_top_up`: puts more money at stake in a bond of the acting account. */
import { struct, text, u64 } from "#internal/core/mod.ts";
import { ownBond } from "../claims.ts";
import { USD } from "../context.ts";
import { labelFault } from "../formula.ts";
import { defineKind } from "../kind.ts";

/** docs/protocol/claims.md, bond_top_up. */
export const bondTopUp = defineKind({
  name: "bond_top_up",
  tag: 49,
  codec: struct({ label: text(32), amount: u64 }),
  fixes: "execution",
  fault: ({ label, amount }) => amount === 0n ? "an amount is 0" : labelFault(label),
  apply(context, { label, amount }) {
    const { id, bond } = ownBond(context, label);
    context.take(USD, amount);
    context.put("bond", id, { ...bond, amount: bond.amount + amount });
    return { BondToppedUp: { account: context.account, amount, bond: id, label } };
  },
});
