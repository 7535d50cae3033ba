/** `bond_post`: puts money at stake behind what the acting account will claim. */
import { struct, text, u64 } from "#internal/core/mod.ts";
import { USD } from "../context.ts";
import { invalid } from "../failure.ts";
import { bondId, labelFault } from "../formula.ts";
import { defineKind } from "../kind.ts";

/** docs/protocol/claims.md, bond_post. */
export const bondPost = defineKind({
  name: "bond_post",
  tag: 48,
  codec: struct({ label: text(32), amount: u64 }),
  fixes: "execution",
  fault: ({ label, amount }) => amount === 0n ? "an amount is 0" : labelFault(label),
  apply(context, { label, amount }) {
    const { account } = context;
    const bond = bondId({ account, label });
    if (context.has(bond)) invalid("the bond exists already");
    context.take(USD, amount);
    context.makeAt("bond", bond, {
      account,
      label,
      amount,
      release: null,
      reservations: [],
      slashed: 0n,
      made: context.pulse,
    });
    return { BondPosted: { account, amount, bond, label } };
  },
});
