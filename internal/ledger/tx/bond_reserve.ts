/**
 * Holds a part of what backs a claim for one who relies on it, until a Pulse: if the claim is found
 * false, the part is theirs. By who issued the claim, whose bonds they are.
 */
import { formatUsdGrouped, id, shortId, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { defineTxKind } from "../kind.ts";
import { bondKind, freeOf, MAX_RESERVATIONS } from "../objects/bond.ts";
import { adjudicatorOf, claimKind, claimStatus } from "../objects/claim.ts";
import type { View } from "../view.ts";
import type { Backing } from "./_backing.ts";
import { backingOf } from "./_backing.ts";

/** Pulses that a reservation can last. */
const MAX_PULSES = 100_000n;

const codec = struct({
  claim: id,
  /** The account that relies on the claim. */
  account: id,
  /** Micro-USD. */
  amount: u64,
  /** Pulses that it is held for, after this one. */
  pulses: u64,
});

/** Body of `bond_reserve`. */
export type BondReserveBody = ValueOf<typeof codec>;

/** Reserves from one bond after the other, as much as each has free, until all is reserved. */
function reserve(
  view: View,
  backing: readonly Backing[],
  { claim, account, amount, pulses }: BondReserveBody,
): void {
  let rest = amount;
  for (const { id, bond } of backing) {
    const free = freeOf(bond, view.pulse);
    const part = free < rest ? free : rest;
    if (part === 0n) continue;
    view.require(
      bond.reservations.length < MAX_RESERVATIONS,
      "invalid transaction",
      `bond ${shortId(id)} has ${MAX_RESERVATIONS} reservations`,
    );
    const until = view.pulse + pulses;
    const reservation = { claim, account, amount: part, until, disputed: false };
    view.put(bondKind, id, { ...bond, reservations: [...bond.reservations, reservation] });
    rest -= part;
  }
}

export const bondReserve = defineTxKind({
  name: "bond_reserve",
  tag: 51,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check({ amount, pulses }: BondReserveBody) {
    if (amount === 0n) return "an amount must be above 0";
    return pulses >= 1n && pulses <= MAX_PULSES
      ? undefined
      : `a reservation lasts 1 to ${MAX_PULSES} Pulses`;
  },
  touches: ({ claim }) => ({ shared: [claim] }),
  intent: ({ claim, account, amount, pulses }, say) =>
    `Reserve ${say.amount(amount)} of what backs claim ${say.short(claim)} ` +
    `for ${say.account(account)} for ${pulses} Pulses`,
  apply(view: View, body) {
    const claim = view.need(claimKind, body.claim);
    view.require(
      claim.issuer === view.actor,
      "unauthorized",
      "only who issued the claim may reserve what backs it",
    );
    const status = claimStatus(claim, view);
    view.require(
      status === "Active",
      "invalid transaction",
      `the claim is ${status.toLowerCase()}`,
    );
    view.require(
      adjudicatorOf(claim) !== null,
      "invalid transaction",
      "the claim names no adjudicator",
    );
    const backing = backingOf(view, claim);
    const free = backing.reduce((sum, { bond }) => sum + freeOf(bond, view.pulse), 0n);
    view.require(
      body.amount <= free,
      "invalid transaction",
      `only ${formatUsdGrouped(free)} USD of backing is unreserved`,
    );
    reserve(view, backing, body);
    view.emit("BackingReserved", {
      account: body.account,
      amount: body.amount,
      claim: body.claim,
      until: view.pulse + body.pulses,
    });
  },
  tells: {
    BackingReserved: (fields, say) =>
      `${say.amount(fields.amount("amount"))} of what backs claim ` +
      `${say.short(fields.id("claim"))} reserved for ${say.account(fields.id("account"))} ` +
      `until Pulse ${fields.amount("until")}`,
  },
  done: (_receipt, { claim, account, amount, pulses }, say) =>
    `${say.amount(amount)} of what backs claim ${say.short(claim)} reserved for ` +
    `${say.account(account)} for ${pulses} Pulses`,
});
