/** `claim_adjudicate`: upholds a claim against its dispute, or finds it false and slashes its bonds. */
import { bool, id, struct, text } from "#internal/core/mod.ts";
import { adjudicatorOf, bondsBehind, checkNotRefuted, isDisputed, sumOf } from "../claims.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { invalid, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Claim } from "../objects.ts";
import type { Value } from "../receipt.ts";

/** docs/protocol/claims.md, claim_adjudicate. */
export const claimAdjudicate = defineKind({
  name: "claim_adjudicate",
  tag: 59,
  codec: struct({ claim: id, isFalse: bool, reason: text(1024) }),
  fixes: "execution",
  apply(context, { claim, isFalse, reason }) {
    const said = context.get("claim", claim);
    const adjudicator = adjudicatorOf(said);
    checkNotRefuted(said);
    if (adjudicator.account !== context.account) {
      unauthorized("only the claim's adjudicator may judge it");
    }
    return (isFalse ? findFalse : uphold)(context, claim, said, reason);
  },
});

function uphold(context: Context, claim: string, said: Claim, reason: string): Value {
  if (!isDisputed(said, context.pulse)) invalid("the claim is not disputed");
  context.put("claim", claim, { ...said, disputed: null });
  return { ClaimUpheld: { by: context.account, claim, reason } };
}

function findFalse(context: Context, claim: string, said: Claim, reason: string): Value {
  const { account: by, pulse } = context;
  const behind = bondsBehind(context, said);
  const asset = context.get("asset", USD);
  const owed = new Map<string, bigint>();
  let slashed = 0n;
  for (const { id, bond } of behind) {
    for (const one of bond.reservations.filter((one) => one.claim === claim)) {
      owed.set(one.account, (owed.get(one.account) ?? 0n) + one.amount);
    }
    const reservations = bond.reservations.filter((one) => one.claim !== claim);
    const amount = sumOf(reservations);
    const lost = bond.amount - amount;
    slashed += lost;
    const kept = { ...bond, release: null };
    context.put("bond", id, { ...kept, amount, reservations, slashed: bond.slashed + lost });
  }
  const compensated = [...owed];
  for (const [account, amount] of compensated) context.credit(account, USD, amount);
  const treasury = slashed - compensated.reduce((sum, [, amount]) => sum + amount, 0n);
  context.put("asset", USD, { ...asset, treasury: asset.treasury + treasury });
  context.put("claim", claim, { ...said, disputed: null, refuted: { by, since: pulse } });
  return { ClaimRefuted: { by, claim, compensated, reason, slashed, treasury } };
}
