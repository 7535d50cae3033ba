/**
 * Holds a part of what backs a claim for one who relies on it, until a Pulse: if the claim is found
 * false, the part is theirs. By who issued the claim, whose bonds they are.
 */
import { id, MAX_RESERVATION_PULSES, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { defineTxKind } from "../kind.ts";
import { adjudicatorOf, claimKind, claimStatus } from "../objects/claim.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { backingOf, reserve } from "./_backing.ts";

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
type BondReserveBody = ValueOf<typeof codec>;

export const bondReserve = defineTxKind({
  name: "bond_reserve",
  tag: 51,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check({ amount, pulses }: BondReserveBody) {
    if (amount === 0n) return "an amount must be above 0";
    return pulses >= 1n && pulses <= MAX_RESERVATION_PULSES
      ? undefined
      : `a reservation lasts 1 to ${MAX_RESERVATION_PULSES} Pulses`;
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
    const until = view.pulse + body.pulses;
    reserve(view, backingOf(view, body.claim, claim), { ...body, until });
    view.emit("BackingReserved", {
      account: body.account,
      amount: body.amount,
      claim: body.claim,
      until,
    });
  },
  tells: {
    BackingReserved: (fields, say) =>
      told(
        {
          claim: fields.id("claim"),
          account: fields.id("account"),
          amount: fields.amount("amount"),
        },
        `until Pulse ${fields.pulse("until")}`,
        say,
      ),
  },
  done: (_receipt, body, say) => told(body, `for ${body.pulses} Pulses`, say),
});

function told(
  { claim, account, amount }: Pick<BondReserveBody, "claim" | "account" | "amount">,
  howLong: string,
  say: Say,
): string {
  return `${say.amount(amount)} of what backs claim ${say.short(claim)} reserved for ` +
    `${say.account(account)} ${howLong}`;
}
