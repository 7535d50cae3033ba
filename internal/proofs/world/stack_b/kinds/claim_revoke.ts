/** `claim_revoke`: takes a statement back, for good. */
import { id, struct } from "#internal/core/mod.ts";
import { checkNotRefuted } from "../claims.ts";
import { invalid, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";

/** docs/protocol/claims.md, claim_revoke. */
export const claimRevoke = defineKind({
  name: "claim_revoke",
  tag: 57,
  codec: struct({ claim: id }),
  fixes: "execution",
  apply(context, { claim }) {
    const said = context.get("claim", claim);
    if (said.issuer !== context.account) {
      unauthorized("only who issued the claim may revoke it");
    }
    if (said.basis.kind === "execution") invalid("the ledger itself made the claim");
    checkNotRefuted(said);
    if (said.revoked !== null) invalid("the claim is revoked already");
    context.put("claim", claim, { ...said, revoked: context.pulse });
    return { ClaimRevoked: { by: context.account, claim } };
  },
});
