/** `bond_reserve`: holds money behind a claim for who relies on it. */
import { id, struct, u64 } from "#internal/core/mod.ts";
import { adjudicatorOf, bondsBehind, freeOf, statusOf } from "../claims.ts";
import { invalid, unauthorized, usd } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { hold, partsOf } from "../reserving.ts";

/** Pulses of the longest reservation. */
const MAX_PULSES = 100_000n;

/** docs/protocol/claims.md, bond_reserve. */
export const bondReserve = defineKind({
  name: "bond_reserve",
  tag: 51,
  codec: struct({ claim: id, account: id, amount: u64, pulses: u64 }),
  fixes: "execution",
  fault({ amount, pulses }) {
    if (amount === 0n) return "an amount is 0";
    return pulses >= 1n && pulses <= MAX_PULSES ? null : "a reservation is of no time or too long";
  },
  apply(context, { claim, account, amount, pulses }) {
    const said = context.get("claim", claim);
    if (said.issuer !== context.account) {
      unauthorized("only who issued the claim may reserve what backs it");
    }
    const status = statusOf(said, context.pulse);
    if (status !== "active") invalid(`the claim is ${status}`);
    adjudicatorOf(said);
    const behind = bondsBehind(context, said);
    const free = behind.reduce((sum, { bond }) => sum + freeOf(bond), 0n);
    if (amount > free) invalid(`only ${usd(free)} USD of backing is unreserved`);
    const until = context.pulse + pulses;
    const backing = behind.map((named) => ({ ...named, claim }));
    hold(context, partsOf(backing, amount), { account, until });
    return { BackingReserved: { account, amount, claim, until } };
  },
});
