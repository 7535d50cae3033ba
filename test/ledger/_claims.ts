/** Claims and bonds for tests: alice states, carol judges. */
import type { Action } from "#internal/ledger/mod.ts";
import { allOf, anyOf, atomFormula, DUAL_SIGNATURE } from "../../internal/ledger/claims/formula.ts";
import type { Formula } from "../../internal/ledger/claims/formula.ts";
import { accountOf, usd } from "./_world.ts";
import type { World } from "./_world.ts";

type IssueBody = Extract<Action, { kind: "claim_issue" }>["body"];

export const post = (label: string, amount: bigint): Action => ({
  kind: "bond_post",
  body: { label, amount },
});
export const topUp = (label: string, amount: bigint): Action => ({
  kind: "bond_top_up",
  body: { label, amount },
});
export const release = (label: string, amount: bigint | null): Action => ({
  kind: "bond_release",
  body: { label, amount },
});
export const reserve = (
  claim: string,
  account: string,
  amount: bigint,
  pulses = 50n,
): Action => ({ kind: "bond_reserve", body: { claim, account, amount, pulses } });
export const issue = (some: Partial<IssueBody> = {}): Action => ({
  kind: "claim_issue",
  body: {
    schema: "note/v1",
    subject: "Invoice 88 was paid in full",
    formula: DUAL_SIGNATURE,
    adjudicator: null,
    detection: 1000,
    validFor: 2000n,
    ...some,
  },
});
export const revokeClaim = (claim: string): Action => ({ kind: "claim_revoke", body: { claim } });
export const dispute = (claim: string, reason = ""): Action => ({
  kind: "claim_dispute",
  body: { claim, reason },
});
export const adjudicate = (claim: string, isFalse: boolean, reason = ""): Action => ({
  kind: "claim_adjudicate",
  body: { claim, isFalse, reason },
});

export const bondAtom = (name: string, label: string): Formula =>
  atomFormula({ kind: "bond", body: { account: accountOf(name), label } });
export const claimAtom = (claim: string): Formula =>
  atomFormula({ kind: "claim", body: { claim } });
export const assumed = (name: string): Formula =>
  atomFormula({ kind: "assumption", body: { name } });
export { allOf, anyOf, atomFormula, DUAL_SIGNATURE };
export type { Formula };

/** Who judges alice's claims. */
export const CAROL = { account: accountOf("carol"), label: "judge" };

/** A claim of alice's on her new bond `tests` of 100 USD, judged by carol. */
export function backedClaim(world: World, some: Partial<IssueBody> = {}): string {
  world.make("alice", post("tests", usd(100)));
  const formula = anyOf(DUAL_SIGNATURE, bondAtom("alice", "tests"));
  return world.make("alice", issue({ formula, adjudicator: CAROL, ...some }));
}
