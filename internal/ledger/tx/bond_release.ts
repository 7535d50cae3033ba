/**
 * Takes money out of a bond, in two steps: what is asked for can be taken when the delay is over, and
 * can be slashed until it is. What is reserved for somebody stays.
 */
import { formatUsdGrouped, option, RELEASE_PULSES, struct, text, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { bondId, labelFault, MAX_LABEL_BYTES } from "../claims/atom.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import type { Bond } from "../objects/bond.ts";
import { bondKind, freeOf } from "../objects/bond.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { bondOf, needBond } from "./_backing.ts";

const codec = struct({
  label: text(MAX_LABEL_BYTES),
  /** Micro-USD to release after the delay; null takes what was released. */
  amount: option(u64),
});

/** Body of `bond_release`. */
export type BondReleaseBody = ValueOf<typeof codec>;

/** Starts the delay, anew for what is on its way out already. */
function start(view: View, id: string, bond: Bond, amount: bigint): void {
  const free = freeOf(bond, view.pulse);
  view.require(
    amount <= free,
    "invalid transaction",
    `only ${formatUsdGrouped(free)} USD of the bond is free`,
  );
  const { account, label } = bond;
  const release = {
    amount: (bond.release?.amount ?? 0n) + amount,
    due: view.pulse + RELEASE_PULSES,
  };
  view.put(bondKind, id, { ...bond, release });
  view.emit("BondReleasing", { account, bond: id, label, ...release });
}

function take(view: View, id: string, bond: Bond): void {
  const { account, label, release } = bond;
  view.require(
    release !== null,
    "invalid transaction",
    "nothing of the bond is on its way out",
  );
  view.require(
    view.pulse >= release.due,
    "invalid transaction",
    `the money is released at Pulse ${release.due}`,
  );
  const { amount } = release;
  view.put(bondKind, id, { ...bond, amount: bond.amount - amount, release: null });
  view.credit(account, USD, amount);
  view.emit("BondReleased", { account, amount, bond: id, label, left: bond.amount - amount });
}

export const bondRelease = defineTxKind({
  name: "bond_release",
  tag: 50,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ label, amount }: BondReleaseBody) =>
    amount === 0n ? "an amount must be above 0" : labelFault(label),
  touches: ({ label }, account) => ({ shared: [bondId({ account, label })] }),
  intent: ({ label, amount }, say) =>
    amount === null
      ? `Take what was released of bond ${label}`
      : `Release ${say.amount(amount)} of bond ${label} in ${RELEASE_PULSES} Pulses`,
  apply(view: View, { label, amount }) {
    const id = bondId({ account: view.actor, label });
    const bond = needBond(view, id);
    if (amount === null) take(view, id, bond);
    else start(view, id, bond, amount);
  },
  tells: {
    BondReleasing: (fields, say) => startTold(fields, bondOf(fields, say), say),
    BondReleased: (fields, say) => takeTold(fields, bondOf(fields, say), say),
  },
  done: (receipt, { label, amount }, say) =>
    amount === null
      ? takeTold(eventOf(receipt, "BondReleased"), label, say)
      : startTold(eventOf(receipt, "BondReleasing"), label, say),
});

/** @param fields of `BondReleasing`, whose amount is all that is on its way. */
function startTold(fields: EventFields, bond: string, say: Say): string {
  return `${say.amount(fields.amount("amount"))} of bond ${bond} released at Pulse ` +
    `${fields.pulse("due")}`;
}

/** @param fields of `BondReleased`. */
function takeTold(fields: EventFields, bond: string, say: Say): string {
  return `${say.amount(fields.amount("amount"))} of bond ${bond} taken, ` +
    `${say.amount(fields.amount("left"))} left`;
}
