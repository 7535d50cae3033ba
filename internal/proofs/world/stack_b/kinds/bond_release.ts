/** `bond_release`: sends money of a bond on its way out, or takes what has been on it long enough. */
import { option, struct, text, u64 } from "#internal/core/mod.ts";
import type { Named } from "../claims.ts";
import { DELAY, freeOf, ownBond } from "../claims.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { invalid, usd } from "../failure.ts";
import { labelFault } from "../formula.ts";
import { defineKind } from "../kind.ts";
import type { Value } from "../receipt.ts";

/** docs/protocol/claims.md, bond_release. */
export const bondRelease = defineKind({
  name: "bond_release",
  tag: 50,
  codec: struct({ label: text(32), amount: option(u64) }),
  fixes: "execution",
  fault: ({ label, amount }) => amount === 0n ? "an amount is 0" : labelFault(label),
  apply(context, { label, amount }) {
    const named = ownBond(context, label);
    return amount === null ? taken(context, named) : released(context, named, amount);
  },
});

/** The delay begins anew for what was on its way already. */
function released(context: Context, { id, bond }: Named, more: bigint): Value {
  const free = freeOf(bond);
  if (more > free) invalid(`only ${usd(free)} USD of the bond is free`);
  const amount = (bond.release?.amount ?? 0n) + more;
  const due = context.pulse + DELAY;
  context.put("bond", id, { ...bond, release: { amount, due } });
  return { BondReleasing: { account: context.account, amount, bond: id, due, label: bond.label } };
}

function taken(context: Context, { id, bond }: Named): Value {
  const { account } = context;
  const { amount, due } = bond.release ?? invalid("nothing of the bond is on its way out");
  if (context.pulse < due) invalid(`the money is released at Pulse ${due}`);
  const left = bond.amount - amount;
  context.put("bond", id, { ...bond, amount: left, release: null });
  context.credit(account, USD, amount);
  return { BondReleased: { account, amount, bond: id, label: bond.label, left } };
}
