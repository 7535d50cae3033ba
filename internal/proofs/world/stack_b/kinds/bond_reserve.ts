/** `bond_reserve`: holds money behind a claim for who relies on it. */
import { id, struct, u64 } from "#internal/core/mod.ts";
import type { Named } from "../claims.ts";
import { adjudicatorOf, bondsBehind, freeOf, statusOf } from "../claims.ts";
import { invalid, short, unauthorized, usd } from "../failure.ts";
import { defineKind } from "../kind.ts";

/** Pulses of the longest reservation. */
const MAX_PULSES = 100_000n;
/** Reservations of one bond. */
const MAX_RESERVATIONS = 64;

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
    const parts = partsOf(behind, amount);
    const full = parts.find(isFull);
    if (full) invalid(`bond ${short(full.id)} has ${MAX_RESERVATIONS} reservations`);
    for (const { id, bond, part } of parts) {
      const reservation = { claim, account, amount: part, until, disputed: false };
      const reservations = [...bond.reservations, reservation];
      context.put("bond", id, { ...bond, reservations });
    }
    return { BackingReserved: { account, amount, claim, until } };
  },
});

function isFull({ bond }: Named): boolean {
  return bond.reservations.length === MAX_RESERVATIONS;
}

/** The bonds that give something, each as much as it has free and is still missing. */
function partsOf(behind: readonly Named[], amount: bigint): (Named & { readonly part: bigint })[] {
  const parts: (Named & { readonly part: bigint })[] = [];
  let missing = amount;
  for (const named of behind) {
    const free = freeOf(named.bond);
    const part = free < missing ? free : missing;
    if (part === 0n) continue;
    parts.push({ ...named, part });
    missing -= part;
  }
  return parts;
}
