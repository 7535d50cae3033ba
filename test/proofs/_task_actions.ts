/** Tasks for histories of both stacks: alice posts, bob works, dana and erin verify, carol judges. */
import type { Action } from "#internal/ledger/mod.ts";
import type { Formula } from "../ledger/_claims.ts";
import {
  allOf,
  anyOf,
  bondAtom,
  CAROL,
  claimAtom,
  DUAL_SIGNATURE,
  issue,
  post,
} from "../ledger/_claims.ts";
import { accountOf, FUNDS, World } from "../ledger/_world.ts";

type PostBody = Extract<Action, { kind: "task_post" }>["body"];
type IssueBody = Extract<Action, { kind: "claim_issue" }>["body"];

/** Who has money in these histories. */
export const WORKSHOP = ["alice", "bob", "carol", "dana", "erin"] as const;

/** What was handed in. */
export const OUTPUT: string = "ab".repeat(32);

/** What a task is posted with, its rule's terms among all else. */
export type Terms = Partial<Omit<PostBody, "rule"> & PostBody["rule"]>;

/** Verifiers as a rule lists them. */
export function verifiersOf(...names: readonly string[]): string[] {
  return names.map((name) => accountOf(name)).sort();
}

/** A task of 90 micro-USD for whoever does it, once backed, judged by carol. */
export function postTask(terms: Terms = {}): Action {
  const { requires, verifiers, adjudicator, kappa, detection, reliance, ...rest } = {
    requires: [],
    verifiers: verifiersOf("dana", "erin"),
    adjudicator: CAROL,
    kappa: 1_000_000n,
    detection: 1000,
    reliance: 50n,
    ...terms,
  };
  const rule = { requires, verifiers, adjudicator, kappa, detection, reliance };
  const body = { budget: null, worker: null, amount: 90n, spec: null, pulses: 5000n, ...rest };
  return { kind: "task_post", body: { ...body, rule } };
}

export const settle = (task: string, result: string, ...attestations: string[]): Action => ({
  kind: "task_settle",
  body: { task, result, attestations },
});

export const refund = (task: string): Action => ({ kind: "task_refund", body: { task } });

/** What a result rests on. */
export function resultFormula(
  by: string,
  requires: readonly string[],
  attestations: readonly string[],
): Formula {
  const own = bondAtom(by, "task-worker");
  const backing = attestations.length === 0 ? own : allOf(own, ...attestations.map(claimAtom));
  return anyOf(DUAL_SIGNATURE, ...requires.map(claimAtom), backing);
}

/** A result of bob's, or of whom is said. */
export function resultOf(
  task: string,
  some: Partial<IssueBody> & {
    readonly by?: string;
    readonly requires?: readonly string[];
    readonly attestations?: readonly string[];
  } = {},
): Action {
  const { by = "bob", requires = [], attestations = [], ...body } = some;
  return issue({
    schema: "task-result/v1",
    subject: `task ${task} output ${OUTPUT}`,
    formula: resultFormula(by, requires, attestations),
    adjudicator: CAROL,
    validFor: null,
    ...body,
  });
}

/** An attestation by the wallet of a name, on its bond `tests`. */
export function attestationOf(
  by: string,
  task: string,
  some: Partial<IssueBody> = {},
): Action {
  return issue({
    schema: "task-attestation/v1",
    subject: `task ${task} output ${OUTPUT}`,
    formula: anyOf(DUAL_SIGNATURE, bondAtom(by, "tests")),
    adjudicator: CAROL,
    validFor: null,
    ...some,
  });
}

/** A world in which bob has 100 micro-USD at stake, dana 40, erin 30, and carol enough. */
export function taskWorld(shards = 2): World {
  const accounts = WORKSHOP.map((name) => [accountOf(name), FUNDS] as const);
  const world = new World({ shards, accounts });
  world.make("bob", post("task-worker", 100n));
  world.make("dana", post("tests", 40n));
  world.make("erin", post("tests", 30n));
  world.make("carol", post("judge", 10_000n));
  return world;
}
