/** What kinds of bonds and claims share: the bonds behind a claim, and who may judge it. */
import { shortId } from "#internal/core/mod.ts";
import type { Backing, HeldPart, Holding } from "../claims/reservation.ts";
import { hold } from "../claims/reservation.ts";
import type { EventFields } from "../event_fields.ts";
import type { Bond } from "../objects/bond.ts";
import { bondKind, reservationsAt } from "../objects/bond.ts";
import type { Claim, Statement } from "../objects/claim.ts";
import { adjudicatorOf, bondsOf, claimKind, claimStatus } from "../objects/claim.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";

/** A bond as it is held at this Pulse. Fails when there is none. */
export function needBond(view: View, id: string): Bond {
  const bond = view.need(bondKind, id);
  return { ...bond, reservations: reservationsAt(bond, view.pulse) };
}

/** A claim that something can be built on. Fails of any other. */
export function needActiveClaim(view: View, id: string): Claim {
  const claim = view.need(claimKind, id);
  const status = claimStatus(claim, view);
  view.require(
    status === "Active",
    "invalid transaction",
    `claim ${shortId(id)} is ${status.toLowerCase()}`,
  );
  return claim;
}

/** The bonds that a claim names itself, as they first stand in its formula. @param claim its id */
export function backingOf(view: View, claim: string, statement: Statement): readonly Backing[] {
  return bondsOf(statement).map((id) => ({ id, bond: needBond(view, id), claim }));
}

/** The bond that an event is about, as its sentence names it: `dana:tests`. */
export function bondOf(fields: EventFields, say: Say): string {
  return `${say.account(fields.id("account"))}:${fields.text("label")}`;
}

/** Holds a part of bonds, as much as each has free, or fails. */
export function reserve(
  view: View,
  backing: readonly Backing[],
  holding: Holding,
): readonly HeldPart[] {
  const held = hold(backing, holding, view.pulse);
  if ("fault" in held) return view.fail("invalid transaction", held.fault);
  for (const { id, bond } of held.parts) view.put(bondKind, id, bond);
  return held.parts;
}

/** A claim that can be judged, and by which account. Fails of any other. */
export function needJudged(
  view: View,
  id: string,
): { readonly claim: Claim; readonly judge: string } {
  const claim = view.need(claimKind, id);
  const judge = adjudicatorOf(claim)?.account;
  view.require(judge !== undefined, "invalid transaction", "the claim names no adjudicator");
  view.require(claim.refuted === null, "invalid transaction", "the claim is refuted already");
  return { claim, judge };
}
