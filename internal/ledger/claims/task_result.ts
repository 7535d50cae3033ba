/**
 * What makes a claim a result of a task, or a verifier's attestation of one: its schema, its words
 * and what it rests on. Whoever issues one and the ledger that pays for it take both from here.
 */
import { isHex64 } from "#internal/core/mod.ts";
import type { TaskRule } from "../objects/task.ts";
import type { BondName } from "./atom.ts";
import type { Formula } from "./formula.ts";
import { allOf, anyOf, atomFormula, DUAL_SIGNATURE, idsNamed, isSameFormula } from "./formula.ts";

/** Schema of the claims that state a result. */
export const TASK_RESULT_SCHEMA = "task-result/v1";
/** Schema of the claims that attest an output. */
export const TASK_ATTESTATION_SCHEMA = "task-attestation/v1";
/** Label of the bond that every worker puts at stake. */
export const TASK_BOND_LABEL = "task-worker";

/**
 * Steps of each search for a cost when a task is settled: so few that nobody is kept busy for a fee, and
 * enough to be exact with four atoms that stand in several places.
 */
export const SETTLING_STEPS = 32;

/** As {@link attestationText} writes it. */
const OUTPUT_TEXT = /^task ([0-9a-f]{64}) output ([0-9a-f]{64})(?: worker ([0-9a-f]{64}))?$/;

/** What was handed in for a task. */
export interface TaskOutput {
  /** Id of the task. */
  readonly task: string;
  /** SHA-256 of the bytes that were handed in, 64 hex digits. */
  readonly output: string;
}

/** What a result states. */
export function resultText({ task, output }: TaskOutput): string {
  return `task ${task} output ${output}`;
}

/**
 * What an attestation states.
 * @param worker of whom alone it is to count. @default of whoever hands the output in
 */
export function attestationText(what: TaskOutput, worker?: string): string {
  return resultText(what) + (worker === undefined ? "" : ` worker ${worker}`);
}

/** What a result or an attestation states, with whom alone an attestation is for; undefined of other texts. */
export function readOutputText(
  text: string,
): TaskOutput & { readonly worker?: string } | undefined {
  const [, task, output, worker] = OUTPUT_TEXT.exec(text) ?? [];
  if (task === undefined || output === undefined) return undefined;
  return { task, output, ...(worker === undefined ? {} : { worker }) };
}

/** The output that a text says is the result of a task; undefined when it says anything else. */
export function outputOf(text: string, task: string): string | undefined {
  const output = text.slice(-64);
  return isHex64(output) && text === resultText({ task, output }) ? output : undefined;
}

/**
 * What a result rests on: the worker's signature, each required claim, and the worker's bond
 * together with all that attest the output. Who makes any of these false makes the result false.
 * @param attestations ids of claims, in their order
 */
export function resultFormula(
  { requires }: Pick<TaskRule, "requires">,
  worker: string,
  attestations: readonly string[],
): Formula {
  const bond = atomFormula({ kind: "bond", body: { account: worker, label: TASK_BOND_LABEL } });
  return anyOf(
    DUAL_SIGNATURE,
    ...requires.map(claimFormula),
    attestations.length === 0 ? bond : allOf(bond, ...attestations.map(claimFormula)),
  );
}

/** The claims that a result rests on beyond those that its task requires, in their order. */
export function attestedBy(
  { requires }: Pick<TaskRule, "requires">,
  formula: Formula,
): readonly string[] {
  return idsNamed(formula, "claim").slice(requires.length);
}

/** What an attestation rests on: the verifier's signature and bond. */
export function attestationFormula(bond: BondName): Formula {
  return anyOf(DUAL_SIGNATURE, atomFormula({ kind: "bond", body: bond }));
}

/** The bond that a formula rests on if it is an attestation's; undefined of any other. */
export function attestationBond(formula: Formula): BondName | undefined {
  const last = formula.kind === "group" ? formula.parts[1] : undefined;
  const bond = last?.kind === "atom" && last.atom.kind === "bond" ? last.atom.body : undefined;
  return bond && isSameFormula(formula, attestationFormula(bond)) ? bond : undefined;
}

function claimFormula(claim: string): Formula {
  return atomFormula({ kind: "claim", body: { claim } });
}
