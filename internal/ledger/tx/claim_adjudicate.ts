/**
 * Judges a claim: upholds it against a dispute or finds it false. A claim found false costs its
 * issuer the bonds it names: what is reserved on it goes to whom it is reserved for, the rest to the
 * treasury; what is reserved on other claims stays. By the adjudicator that the claim names.
 */
import { bool, id, MAX_CLAIM_REASON_BYTES, struct, text } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { bondKind } from "../objects/bond.ts";
import type { Claim } from "../objects/claim.ts";
import { claimKind, isDisputed } from "../objects/claim.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { backingOf, needJudged } from "./_backing.ts";

const codec = struct({
  claim: id,
  /** Whether it is found false; else it is upheld. */
  isFalse: bool,
  reason: text(MAX_CLAIM_REASON_BYTES),
});

/** Slashes the bonds that a false claim names. Returns what each account gets, and what is left. */
function slash(view: View, id: string, claim: Claim) {
  const owed = new Map<string, bigint>();
  let slashed = 0n;
  let compensated = 0n;
  for (const { id: bondId, bond } of backingOf(view, id, claim)) {
    const kept = bond.reservations.filter((reservation) => reservation.claim !== id);
    const amount = kept.reduce((sum, reservation) => sum + reservation.amount, 0n);
    for (const { claim: on, account, amount: part } of bond.reservations) {
      if (on !== id) continue;
      owed.set(account, (owed.get(account) ?? 0n) + part);
      compensated += part;
    }
    const taken = bond.amount - amount;
    slashed += taken;
    view.put(bondKind, bondId, {
      ...bond,
      amount,
      release: null,
      reservations: kept,
      slashed: bond.slashed + taken,
    });
  }
  for (const [account, amount] of owed) view.credit(account, USD, amount);
  view.forfeit(USD, slashed - compensated);
  return { compensated: [...owed], slashed, treasury: slashed - compensated };
}

export const claimAdjudicate = defineTxKind({
  name: "claim_adjudicate",
  tag: 59,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ claim }) => ({ shared: [claim, USD] }),
  intent({ claim, isFalse, reason }, say) {
    const why = reason === "" ? "" : `, because ${say.quote(reason)}`;
    return isFalse
      ? `Find claim ${say.short(claim)} false, and slash the bonds behind it${why}`
      : `Uphold claim ${say.short(claim)} against its dispute${why}`;
  },
  apply(view: View, { claim: judged, isFalse, reason }) {
    const { claim, judge } = needJudged(view, judged);
    view.require(
      judge === view.actor,
      "unauthorized",
      "only the claim's adjudicator may judge it",
    );
    const by = view.actor;
    if (!isFalse) {
      view.require(
        isDisputed(claim, view.pulse),
        "invalid transaction",
        "the claim is not disputed",
      );
      view.put(claimKind, judged, { ...claim, disputed: null });
      return view.emit("ClaimUpheld", { by, claim: judged, reason });
    }
    view.put(claimKind, judged, {
      ...claim,
      disputed: null,
      refuted: { by, since: view.pulse },
    });
    view.emit("ClaimRefuted", { by, claim: judged, reason, ...slash(view, judged, claim) });
  },
  tells: {
    ClaimUpheld: (fields, say) =>
      `${claimTold(fields, say)} upheld by ${say.account(fields.id("by"))}`,
    ClaimRefuted(fields, say) {
      const paid = fields.payments("compensated")
        .map(([account, amount]) => `${say.amount(amount)} to ${say.account(account)}`);
      return `${claimTold(fields, say)} found false by ` +
        `${say.account(fields.id("by"))}, ${slashTold(fields, say)}` +
        (paid.length === 0 ? "" : `: ${say.list(paid)}`);
    },
  },
  done(receipt, { isFalse }, say) {
    const fields = eventOf(receipt, isFalse ? "ClaimRefuted" : "ClaimUpheld");
    const claim = claimTold(fields, say);
    return isFalse ? `${claim} found false, ${slashTold(fields, say)}` : `${claim} upheld`;
  },
});

function claimTold(fields: EventFields, say: Say): string {
  return `claim ${say.short(fields.id("claim"))}`;
}

/** @param fields of `ClaimRefuted`. */
function slashTold(fields: EventFields, say: Say): string {
  return `${say.amount(fields.amount("slashed"))} slashed`;
}
