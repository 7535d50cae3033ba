/** How bonds give what is to be held behind claims. docs/protocol/claims.md, bond_reserve. */
import type { Named } from "./claims.ts";
import { freeOf } from "./claims.ts";
import type { Context } from "./context.ts";
import { invalid, short } from "./failure.ts";

/** Reservations of one bond. */
const MAX_RESERVATIONS = 64;

/** A bond without lapsed reservations, and the claim that it backs. */
export interface Backing extends Named {
  readonly claim: string;
}

/** What a bond gives, micro-USD above 0. */
export interface Part extends Backing {
  readonly part: bigint;
}

/** The bonds that give something, in order, each as much as it has free and is still missing. */
export function partsOf(behind: readonly Backing[], amount: bigint): readonly Part[] {
  const parts: Part[] = [];
  let missing = amount;
  for (const backing of behind) {
    const free = freeOf(backing.bond);
    const part = free < missing ? free : missing;
    if (part === 0n) continue;
    parts.push({ ...backing, part });
    missing -= part;
  }
  return parts;
}

/**
 * Holds the parts for an account through a Pulse.
 * @throws {Failure} when one of the bonds has as many reservations as it can.
 */
export function hold(
  context: Context,
  parts: readonly Part[],
  { account, until }: { readonly account: string; readonly until: bigint },
): void {
  const full = parts.find(isFull);
  if (full) invalid(`bond ${short(full.id)} has ${MAX_RESERVATIONS} reservations`);
  for (const { id, bond, claim, part } of parts) {
    const reservation = { claim, account, amount: part, until, disputed: false };
    const reservations = [...bond.reservations, reservation];
    context.put("bond", id, { ...bond, reservations });
  }
}

function isFull({ bond }: Named): boolean {
  return bond.reservations.length === MAX_RESERVATIONS;
}
