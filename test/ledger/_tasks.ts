/** Tasks for tests: alice pays, bob works, dana verifies, carol judges. */
import type { Action } from "#internal/ledger/mod.ts";
import {
  attestationFormula,
  attestationText,
  resultFormula,
  resultText,
  TASK_ATTESTATION_SCHEMA,
  TASK_BOND_LABEL,
  TASK_RESULT_SCHEMA,
} from "../../internal/ledger/claims/task_result.ts";
import { bondId } from "../../internal/ledger/claims/atom.ts";
import type { Bond } from "../../internal/ledger/objects/bond.ts";
import { bondKind } from "../../internal/ledger/objects/bond.ts";
import { CAROL, issue, post } from "./_claims.ts";
import { accountOf, usd, World } from "./_world.ts";

type PostBody = Extract<Action, { kind: "task_post" }>["body"];
export type Rule = PostBody["rule"];
type IssueBody = Extract<Action, { kind: "claim_issue" }>["body"];

export const OUTPUT = "0f".repeat(32);
export const NOBODY = "11".repeat(32);
export const WORKER_BOND = bondId({ account: accountOf("bob"), label: TASK_BOND_LABEL });

export const short = (id: string): string => id.slice(0, 8);
export const bondOf = (world: World, id: string): Bond | undefined => world.read(bondKind, id);

/** 5 USD for bob, verified by dana, judged by carol, backed twice. */
const RULE: Rule = {
  requires: [],
  verifiers: [accountOf("dana")],
  adjudicator: CAROL,
  kappa: 2_000_000n,
  detection: 900,
  reliance: 1000n,
};

export const postTask = (some: Partial<PostBody> = {}, rule: Partial<Rule> = {}): Action => ({
  kind: "task_post",
  body: {
    budget: null,
    worker: accountOf("bob"),
    amount: usd(5),
    spec: null,
    pulses: 50n,
    ...some,
    rule: { ...RULE, ...rule },
  },
});
export const settle = (
  task: string,
  result: string,
  attestations: readonly string[] = [],
): Action => ({ kind: "task_settle", body: { task, result, attestations: [...attestations] } });
export const refund = (task: string): Action => ({ kind: "task_refund", body: { task } });

/** What a worker hands in, as the task requires it. */
export const resultOf = (
  by: string,
  task: string,
  attestations: readonly string[] = [],
  some: Partial<IssueBody> = {},
  rule: Partial<Rule> = {},
): Action => {
  const { adjudicator, detection, requires } = { ...RULE, ...rule };
  return issue({
    schema: TASK_RESULT_SCHEMA,
    subject: resultText({ task, output: OUTPUT }),
    formula: resultFormula({ requires }, accountOf(by), attestations),
    adjudicator,
    detection,
    ...some,
  });
};

/** What a verifier attests of it. */
export const attest = (
  by: string,
  task: string,
  some: Partial<IssueBody> = {},
  worker?: string,
): Action =>
  issue({
    schema: TASK_ATTESTATION_SCHEMA,
    subject: attestationText({ task, output: OUTPUT }, worker),
    formula: attestationFormula({ account: accountOf(by), label: "verifier" }),
    adjudicator: CAROL,
    detection: 900,
    ...some,
  });

/** Bonds of 20 USD of bob and dana, of 50 USD of carol. */
export function postBonds(world: World, worker: bigint = usd(20)): void {
  world.make("bob", post(TASK_BOND_LABEL, worker));
  world.make("dana", post("verifier", usd(20)));
  world.make("carol", post(CAROL.label, usd(50)));
}

/** A task of alice's for bob, all bonds posted. */
export function taskWorld(world: World, rule: Partial<Rule> = {}, worker?: bigint): string {
  postBonds(world, worker);
  return world.make("alice", postTask({}, rule));
}

/** The fault of an action that no state could accept. */
export function shapeFault(action: Action): string | undefined {
  const kind = new World().ledger.kinds.find(({ name }) => name === action.kind);
  return kind?.check?.(action.body as never);
}

/** Executes empty Pulses up to one. */
export function waitUntil(world: World, pulse: bigint): void {
  while (world.pulse < pulse) world.execute([]);
}
