/** Holding a part of what backs a claim for one who relies on it. */
import { formatUsdGrouped, shortId } from "#internal/core/mod.ts";
import type { Bond } from "../objects/bond.ts";
import { freeOf, MAX_RESERVATIONS } from "../objects/bond.ts";
import type { Claim } from "../objects/claim.ts";
import { bondsOf } from "../objects/claim.ts";
import type { TrustReader } from "./resting.ts";

/** A bond behind a claim, its lapsed reservations left out. */
export interface Backing {
  readonly id: string;
  readonly bond: Bond;
  /** The claim that names it. */
  readonly claim: string;
}

/** What is to be held. */
export interface Holding {
  /** The account that relies on the claims: of what is found false, the money is theirs. */
  readonly account: string;
  /** Micro-USD, above 0. */
  readonly amount: bigint;
  /** The last Pulse it is held in. */
  readonly until: bigint;
}

/** A bond that holds a part of it: how much. */
export interface HeldPart extends Backing {
  readonly amount: bigint;
}

/** The bonds that hold a part of it, or why they cannot hold all. */
export type Held =
  | { readonly parts: readonly HeldPart[] }
  | { readonly fault: string };

/**
 * Holds an amount of bonds at a Pulse: of one after the other as much as each has free, until all is
 * held. Bonds that give no part are left out.
 */
export function hold(
  backing: readonly Backing[],
  { account, amount, until }: Holding,
  pulse: bigint,
): Held {
  const free = backing.reduce((sum, { bond }) => sum + freeOf(bond, pulse), 0n);
  if (amount > free) {
    return { fault: `only ${formatUsdGrouped(free)} USD of backing is unreserved` };
  }
  const parts: HeldPart[] = [];
  let rest = amount;
  for (const { id, bond, claim } of backing) {
    const left = freeOf(bond, pulse);
    const part = left < rest ? left : rest;
    if (part === 0n) continue;
    if (bond.reservations.length === MAX_RESERVATIONS) {
      return { fault: `bond ${shortId(id)} has ${MAX_RESERVATIONS} reservations` };
    }
    const reservation = { claim, account, amount: part, until, disputed: false };
    const reservations = [...bond.reservations, reservation];
    parts.push({ id, bond: { ...bond, reservations }, claim, amount: part });
    rest -= part;
  }
  return { parts };
}

/** Micro-USD of the bonds that a claim names itself that are reserved for nobody at a Pulse. */
export function freeBehind(reader: TrustReader, claim: Claim, pulse: bigint): bigint {
  return bondsOf(claim).reduce((sum, id) => {
    const bond = reader.bond(id);
    return bond === undefined ? sum : sum + freeOf(bond, pulse);
  }, 0n);
}
