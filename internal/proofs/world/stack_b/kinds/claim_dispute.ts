/** `claim_dispute`: keeps a claim from being relied on until its adjudicator has judged it. */
import { id, struct, text } from "#internal/core/mod.ts";
import { adjudicatorOf, bondsBehind, checkNotRefuted, DELAY } from "../claims.ts";
import { invalid, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Reservation } from "../objects.ts";

/** docs/protocol/claims.md, claim_dispute. */
export const claimDispute = defineKind({
  name: "claim_dispute",
  tag: 58,
  codec: struct({ claim: id, reason: text(1024) }),
  fixes: "execution",
  apply(context, { claim, reason }) {
    const { account: by, pulse } = context;
    const said = context.get("claim", claim);
    adjudicatorOf(said);
    checkNotRefuted(said);
    const behind = bondsBehind(context, said);
    const isOwn = (one: Reservation) => one.claim === claim && one.account === by;
    const own = behind.flatMap(({ bond }) => bond.reservations.filter(isOwn));
    if (own.length === 0) {
      unauthorized("only for whom backing of the claim is reserved may dispute it");
    }
    if (own.every((one) => one.disputed)) invalid("the claim is disputed by the account already");
    const until = pulse + DELAY;
    for (const { id, bond } of behind) {
      const reservations = bond.reservations.map((one) =>
        !isOwn(one) || one.disputed
          ? one
          : { ...one, disputed: true, until: one.until > until ? one.until : until }
      );
      context.put("bond", id, { ...bond, reservations });
    }
    context.put("claim", claim, { ...said, disputed: { by, since: pulse } });
    return { ClaimDisputed: { by, claim, reason, until } };
  },
});
