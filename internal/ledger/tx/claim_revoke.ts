/** Takes a claim back, for good: nobody is to rely on it any more. By who issued it. */
import { id, struct } from "#internal/core/mod.ts";
import { defineTxKind } from "../kind.ts";
import { claimKind } from "../objects/claim.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";

const codec = struct({ claim: id });

export const claimRevoke = defineTxKind({
  name: "claim_revoke",
  tag: 57,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ claim }) => ({ shared: [claim] }),
  intent: ({ claim }, say) => `Revoke claim ${say.short(claim)}, for good`,
  apply(view: View, { claim: claimed }) {
    const claim = view.need(claimKind, claimed);
    view.require(
      claim.issuer === view.actor,
      "unauthorized",
      "only who issued the claim may revoke it",
    );
    view.require(
      claim.basis.kind !== "execution",
      "invalid transaction",
      "the ledger itself made the claim",
    );
    view.require(claim.refuted === null, "invalid transaction", "the claim is refuted already");
    view.require(claim.revoked === null, "invalid transaction", "the claim is revoked already");
    view.put(claimKind, claimed, { ...claim, revoked: view.pulse });
    view.emit("ClaimRevoked", { by: view.actor, claim: claimed });
  },
  tells: {
    ClaimRevoked: (fields, say) =>
      `${told(fields.id("claim"), say)} by ${say.account(fields.id("by"))}`,
  },
  done: (_receipt, { claim }, say) => told(claim, say),
});

function told(claim: string, say: Say): string {
  return `claim ${say.short(claim)} revoked`;
}
