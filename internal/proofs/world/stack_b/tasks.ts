/** What makes claims results of a task and attestations of them. docs/protocol/tasks.md, Results and attestations. */
import { statusOf } from "./claims.ts";
import type { Context } from "./context.ts";
import { invalid, short, unauthorized } from "./failure.ts";
import type { BondName, Formula } from "./formula.ts";
import { bondFormula, claimFormula, DUAL_SIGNATURE, groupOf, isSameFormula } from "./formula.ts";
import type { Claim, Task } from "./objects.ts";

/** The label of a worker's bond. */
const WORKERS_LABEL = "task-worker";

/** A result of a task. */
export interface Result {
  readonly id: string;
  readonly said: Claim;
  /** The SHA-256 of what was handed in. */
  readonly output: string;
}

/** An attestation of a result, and the bond that backs it. */
export interface Attestation {
  readonly id: string;
  readonly bond: BondName;
}

/** @throws {Failure} unless a task is open. */
export function checkOpen({ outcome }: Task): void {
  if (outcome.kind !== "open") invalid(`the task is ${outcome.kind} already`);
}

/** The claim of an id as a result of the acting account. @throws {Failure} when it is none. */
export function readResult(context: Context, task: string, { rule }: Task, id: string): Result {
  const said = context.get("claim", id);
  if (said.issuer !== context.account) {
    unauthorized("only who issued the result may settle the task with it");
  }
  const output = outputOf(said, task);
  if (said.schema !== "task-result/v1" || said.basis.kind !== "trust" || output === null) {
    return invalid("the claim is no result of the task");
  }
  const { adjudicator, detection } = said.basis.body;
  if (!isSameBond(adjudicator, rule.adjudicator)) {
    invalid("the result does not name the adjudicator of the task");
  }
  if (detection > rule.detection) {
    invalid(`the result declares a detection factor above ${rule.detection}/1000`);
  }
  return { id, said, output };
}

/** The output that a claim's text is about, or null if it is no result of the task. */
function outputOf({ subject }: Claim, task: string): string | null {
  const before = `task ${task} output `;
  if (subject.kind !== "text" || !subject.body.text.startsWith(before)) return null;
  const output = subject.body.text.slice(before.length);
  return /^[0-9a-f]{64}$/.test(output) ? output : null;
}

function isSameBond(one: BondName | null, other: BondName | null): boolean {
  if (one === null || other === null) return one === other;
  return one.account === other.account && one.label === other.label;
}

/** The claim of an id. @throws {Failure} when there is none, or it has ended. */
export function activeClaim(context: Context, id: string): Claim {
  const claim = context.get("claim", id);
  const status = statusOf(claim, context.pulse);
  return status === "active" ? claim : invalid(`claim ${short(id)} is ${status}`);
}

/** The claims of ids as attestations of a result, in order. @throws {Failure} when one is none. */
export function readAttestations(
  context: Context,
  task: string,
  { rule }: Task,
  { result, ids }: { readonly result: Result; readonly ids: readonly string[] },
): readonly Attestation[] {
  const issuers = new Set<string>();
  return ids.map((id) => {
    const said = activeClaim(context, id);
    const bond = saysSo(said, task, result) && backs(said, rule);
    if (!bond) return invalid(`claim ${short(id)} is no attestation of the output`);
    const { issuer } = said;
    if (!rule.verifiers.includes(issuer) || issuer === result.said.issuer) {
      invalid(`claim ${short(id)} is not by a verifier of the task`);
    }
    if (issuers.has(issuer)) invalid("a verifier attests once");
    issuers.add(issuer);
    return { id, bond };
  });
}

/** Whether a claim says what an attestation of a result does. */
function saysSo({ schema, subject }: Claim, task: string, { output, said }: Result): boolean {
  if (schema !== "task-attestation/v1" || subject.kind !== "text") return false;
  const text = `task ${task} output ${output}`;
  return [text, `${text} worker ${said.issuer}`].includes(subject.body.text);
}

/** The bond that an attestation rests on, or null if the claim does not rest on what it has to. */
function backs({ basis, issuer }: Claim, rule: Task["rule"]): BondName | null {
  if (basis.kind !== "trust") return null;
  const { formula, adjudicator } = basis.body;
  const bond = formula.kind === "group" ? bondOf(formula.body.parts[1]) : null;
  if (bond === null || bond.account !== issuer) return null;
  const expected = groupOf(1, [DUAL_SIGNATURE, bondFormula(bond)]);
  const fits = isSameFormula(formula, expected) && isSameBond(adjudicator, rule.adjudicator);
  return fits ? bond : null;
}

function bondOf(formula: Formula | undefined): BondName | null {
  return formula?.kind === "atom" && formula.body.kind === "bond" ? formula.body.body : null;
}

/** @throws {Failure} unless a result rests on what its task requires. */
export function checkRests(
  { said }: Result,
  { rule }: Task,
  attestations: readonly Attestation[],
): void {
  const own = bondFormula(workersBond(said));
  const attested = attestations.map(({ id }) => claimFormula(id));
  const backing = attested.length === 0 ? own : groupOf(attested.length + 1, [own, ...attested]);
  const parts = [DUAL_SIGNATURE, ...rule.requires.map(claimFormula), backing];
  const expected = groupOf(1, parts);
  if (said.basis.kind !== "trust" || !isSameFormula(said.basis.body.formula, expected)) {
    invalid("the result does not rest on exactly what the task requires");
  }
}

/** The bond behind a worker's results. */
export function workersBond({ issuer }: Claim): BondName {
  return { account: issuer, label: WORKERS_LABEL };
}
