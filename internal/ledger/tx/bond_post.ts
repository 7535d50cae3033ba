/** Puts money at stake under a label of the acting account's, for claims that are to rest on it. */
import { struct, text, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { bondId, labelFault, MAX_LABEL_BYTES } from "../claims/atom.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { bondKind } from "../objects/bond.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { bondOf } from "./_backing.ts";

const codec = struct({
  label: text(MAX_LABEL_BYTES),
  /** Micro-USD. */
  amount: u64,
});

/** Body of `bond_post`. */
export type BondPostBody = ValueOf<typeof codec>;

export const bondPost = defineTxKind({
  name: "bond_post",
  tag: 48,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ label, amount }: BondPostBody) =>
    amount === 0n ? "an amount must be above 0" : labelFault(label),
  spendBound: ({ amount }) => ({ asset: USD, amount }),
  touches: ({ label }, account) => ({ shared: [bondId({ account, label })] }),
  intent: ({ label, amount }, say) => `Put ${say.amount(amount)} at stake as bond ${label}`,
  apply(view: View, { label, amount }) {
    const account = view.actor;
    const bond = bondId({ account, label });
    const exists = view.get(bondKind, bond) !== undefined;
    view.require(!exists, "invalid transaction", "the bond exists already");
    view.debit(USD, amount);
    view.found(bondKind, bond, {
      account,
      label,
      amount,
      release: null,
      reservations: [],
      slashed: 0n,
      made: view.pulse,
    });
    view.emit("BondPosted", { account, amount, bond, label });
  },
  tells: {
    BondPosted: (fields, say) => told(fields.amount("amount"), bondOf(fields, say), say),
  },
  done: (_receipt, { label, amount }, say) => told(amount, label, say),
});

function told(amount: bigint, bond: string, say: Say): string {
  return `${say.amount(amount)} at stake as bond ${bond}`;
}
