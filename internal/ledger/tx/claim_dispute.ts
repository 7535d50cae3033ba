/**
 * Says that a claim is false, so that its adjudicator decides: until then nobody is to rely on it,
 * and what is reserved for who disputes it stays reserved. By who has something reserved.
 */
import { DISPUTE_PULSES, id, MAX_CLAIM_REASON_BYTES, struct, text } from "#internal/core/mod.ts";
import { defineTxKind } from "../kind.ts";
import type { Reservation } from "../objects/bond.ts";
import { bondKind } from "../objects/bond.ts";
import { claimKind } from "../objects/claim.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { backingOf, needJudged } from "./_backing.ts";

const codec = struct({ claim: id, reason: text(MAX_CLAIM_REASON_BYTES) });

export const claimDispute = defineTxKind({
  name: "claim_dispute",
  tag: 58,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ claim }) => ({ shared: [claim] }),
  intent: ({ claim, reason }, say) =>
    `Dispute claim ${say.short(claim)}${reason === "" ? "" : `, because ${say.quote(reason)}`}`,
  apply(view: View, { claim: disputed, reason }) {
    const { claim } = needJudged(view, disputed);
    const backing = backingOf(view, disputed, claim);
    const isOwn = (one: Reservation): boolean =>
      one.claim === disputed && one.account === view.actor;
    const own = backing.flatMap(({ bond }) => bond.reservations.filter(isOwn));
    view.require(
      own.length > 0,
      "unauthorized",
      "only for whom backing of the claim is reserved may dispute it",
    );
    view.require(
      own.some((reservation) => !reservation.disputed),
      "invalid transaction",
      "the claim is disputed by the account already",
    );
    const end = view.pulse + DISPUTE_PULSES;
    const held = (one: Reservation): Reservation =>
      isOwn(one) && !one.disputed
        ? { ...one, until: one.until > end ? one.until : end, disputed: true }
        : one;
    for (const { id, bond } of backing) {
      view.put(bondKind, id, { ...bond, reservations: bond.reservations.map(held) });
    }
    view.put(claimKind, disputed, { ...claim, disputed: { by: view.actor, since: view.pulse } });
    view.emit("ClaimDisputed", { by: view.actor, claim: disputed, reason, until: end });
  },
  tells: {
    ClaimDisputed: (fields, say) =>
      `${told(fields.id("claim"), say)} by ${say.account(fields.id("by"))}, ` +
      `to be decided until Pulse ${fields.pulse("until")}`,
  },
  done: (_receipt, { claim }, say) => told(claim, say),
});

function told(claim: string, say: Say): string {
  return `claim ${say.short(claim)} disputed`;
}
