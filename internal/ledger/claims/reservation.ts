/** Holding a part of what backs a claim for one who relies on it. */
import { formatUsdGrouped, shortId } from "#internal/core/mod.ts";
import type { Bond } from "../objects/bond.ts";
import { freeOf, MAX_RESERVATIONS } from "../objects/bond.ts";

/** A bond with its id, its lapsed reservations left out. */
export interface Backing {
  readonly id: string;
  readonly bond: Bond;
}

/** What is to be held. */
export interface Holding {
  readonly claim: string;
  /** The account that relies on the claim: if it is found false, the money is theirs. */
  readonly account: string;
  /** Micro-USD, above 0. */
  readonly amount: bigint;
  /** The last Pulse it is held in. */
  readonly until: bigint;
}

/** The bonds that hold a part of it, or why they cannot hold all. */
export type Held =
  | { readonly bonds: readonly Backing[] }
  | { readonly fault: string };

/**
 * Holds an amount of bonds at a Pulse: of one after the other as much as each has free, until all is
 * held. Bonds that give no part are left out.
 */
export function hold(
  backing: readonly Backing[],
  { claim, account, amount, until }: Holding,
  pulse: bigint,
): Held {
  const free = backing.reduce((sum, { bond }) => sum + freeOf(bond, pulse), 0n);
  if (amount > free) {
    return { fault: `only ${formatUsdGrouped(free)} USD of backing is unreserved` };
  }
  const bonds: Backing[] = [];
  let rest = amount;
  for (const { id, bond } of backing) {
    const left = freeOf(bond, pulse);
    const part = left < rest ? left : rest;
    if (part === 0n) continue;
    if (bond.reservations.length === MAX_RESERVATIONS) {
      return { fault: `bond ${shortId(id)} has ${MAX_RESERVATIONS} reservations` };
    }
    const reservation = { claim, account, amount: part, until, disputed: false };
    bonds.push({ id, bond: { ...bond, reservations: [...bond.reservations, reservation] } });
    rest -= part;
  }
  return { bonds };
}
