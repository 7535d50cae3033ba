/** Claims and the bonds behind them at a Pulse. docs/protocol/claims.md, Objects. */
import type { Context } from "./context.ts";
import { invalid } from "./failure.ts";
import type { BondName } from "./formula.ts";
import { bondId, bondsOf } from "./formula.ts";
import type { Bond, Claim, Reservation } from "./objects.ts";

/** Pulses that a dispute keeps a claim from being active, and released money stays at stake. */
export const DELAY = 1000n;

/** A bond with its id. */
export interface Named {
  readonly id: string;
  readonly bond: Bond;
}

/** A bond as a kind sees it that changes it: without its lapsed reservations. */
export function readBond(context: Context, id: string): Bond {
  return withoutLapsed(context.get("bond", id), context.pulse);
}

/** The reservations of a bond that are held, and all else of it. */
export function withoutLapsed(bond: Bond, pulse: bigint): Bond {
  const reservations = bond.reservations.filter((one) => one.until >= pulse);
  return { ...bond, reservations };
}

/** The acting account's bond of a label. */
export function ownBond(context: Context, label: string): Named {
  const id = bondId({ account: context.account, label });
  return { id, bond: readBond(context, id) };
}

/** The bonds that a claim rests on itself, in order. */
export function bondsBehind(context: Context, claim: Claim): readonly Named[] {
  const ids = claim.basis.kind === "trust" ? bondsOf(claim.basis.body.formula) : [];
  return ids.map((id) => ({ id, bond: readBond(context, id) }));
}

/** Money of reservations. */
export function sumOf(reservations: readonly Reservation[]): bigint {
  return reservations.reduce((sum, one) => sum + one.amount, 0n);
}

/** What of a bond is not on its way out. */
export function stakeOf(bond: Bond): bigint {
  return bond.amount - (bond.release?.amount ?? 0n);
}

/** What of a bond without lapsed reservations is neither on its way out nor held. */
export function freeOf(bond: Bond): bigint {
  return stakeOf(bond) - sumOf(bond.reservations);
}

/** Who judges a claim. @throws {Failure} when nobody does. */
export function adjudicatorOf(claim: Claim): BondName {
  const adjudicator = claim.basis.kind === "trust" ? claim.basis.body.adjudicator : null;
  return adjudicator ?? invalid("the claim names no adjudicator");
}

/** @throws {Failure} when a claim has been found false. */
export function checkNotRefuted({ refuted }: Claim): void {
  if (refuted !== null) invalid("the claim is refuted already");
}

/** Whether a dispute about a claim is still to be decided. */
export function isDisputed(claim: Claim, pulse: bigint): boolean {
  return claim.disputed !== null && pulse <= claim.disputed.since + DELAY;
}

/** A claim's status at a Pulse, in lower case. */
export function statusOf(claim: Claim, pulse: bigint): string {
  if (claim.refuted !== null) return "refuted";
  if (claim.revoked !== null) return "revoked";
  if (claim.validUntil !== null && claim.validUntil < pulse) return "expired";
  return isDisputed(claim, pulse) ? "disputed" : "active";
}
