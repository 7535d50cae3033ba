/**
 * Settles a task: pays for a result, once, if it is what the task requires and passes the decision
 * rule that the task fixed. Of what backs the result κ times the payment is held for the poster. By
 * who issued the result.
 */
import { FULL_DETECTION, id, list, shortId, struct } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { BondName } from "../claims/atom.ts";
import { bondId } from "../claims/atom.ts";
import { assess, requiredOf } from "../claims/decision.ts";
import { isSameFormula } from "../claims/formula.ts";
import type { Backing } from "../claims/reservation.ts";
import {
  attestationBond,
  attestationText,
  outputOf,
  resultFormula,
  SETTLING_STEPS,
  TASK_ATTESTATION_SCHEMA,
  TASK_BOND_LABEL,
  TASK_RESULT_SCHEMA,
} from "../claims/task_result.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { bondKind } from "../objects/bond.ts";
import type { Claim, TrustBasis } from "../objects/claim.ts";
import { claimKind } from "../objects/claim.ts";
import type { Task, TaskRule } from "../objects/task.ts";
import { MAX_VERIFIERS, taskKind } from "../objects/task.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { needActiveClaim, needBond, reserve } from "./_backing.ts";
import { requireOpen } from "./_tasks.ts";

const codec = struct({
  task: id,
  /** The claim that states the result. */
  result: id,
  /** The claims that attest it, in the order in which the result rests on them. */
  attestations: list(id, MAX_VERIFIERS),
});

/** Body of `task_settle`. */
export type TaskSettleBody = ValueOf<typeof codec>;

/** A claim of words and on trust, as results and attestations are. */
interface Stated {
  readonly text: string;
  readonly trust: TrustBasis;
}

function statedAs(schema: string, claim: Claim): Stated | undefined {
  const { subject, basis } = claim;
  return claim.schema === schema && subject.kind === "note" && basis.kind === "trust"
    ? { text: subject.body.text, trust: basis.body }
    : undefined;
}

function isSameJudge(a: BondName | null, b: BondName | null): boolean {
  return a?.account === b?.account && a?.label === b?.label;
}

/** A result that may be paid for, as far as it goes by itself. */
interface Result {
  readonly claim: Claim;
  readonly trust: TrustBasis;
  readonly output: string;
}

function needResult(view: View, task: Task, { task: taskId, result }: TaskSettleBody): Result {
  const claim = view.need(claimKind, result);
  view.require(
    claim.issuer === view.actor,
    "unauthorized",
    "only who issued the result may settle the task with it",
  );
  const stated = statedAs(TASK_RESULT_SCHEMA, claim);
  const output = stated && outputOf(stated.text, taskId);
  view.require(
    stated !== undefined && output !== undefined,
    "invalid transaction",
    "the claim is no result of the task",
  );
  const { trust } = stated;
  view.require(
    isSameJudge(trust.adjudicator, task.rule.adjudicator),
    "invalid transaction",
    "the result does not name the adjudicator of the task",
  );
  view.require(
    trust.detection <= task.rule.detection,
    "invalid transaction",
    `the result declares a detection factor above ${task.rule.detection}/${FULL_DETECTION}`,
  );
  return { claim, trust, output };
}

/** The bond that an attestation rests on, if it is one of this output that is good for this worker. */
function attestedWith(
  claim: Claim,
  { adjudicator }: TaskRule,
  what: { readonly task: string; readonly output: string },
  worker: string,
): BondName | undefined {
  const stated = statedAs(TASK_ATTESTATION_SCHEMA, claim);
  if (stated === undefined || !isSameJudge(stated.trust.adjudicator, adjudicator)) return undefined;
  const texts = [attestationText(what), attestationText(what, worker)];
  if (!texts.includes(stated.text)) return undefined;
  const bond = attestationBond(stated.trust.formula);
  return bond?.account === claim.issuer ? bond : undefined;
}

/** The bonds that the attestations rest on, each with its claim. */
function attestingBonds(
  view: View,
  { rule }: Task,
  { output }: Result,
  { task, attestations }: TaskSettleBody,
): readonly { readonly claim: string; readonly name: BondName }[] {
  const seen = new Set<string>();
  return attestations.map((id) => {
    const claim = needActiveClaim(view, id);
    const name = attestedWith(claim, rule, { task, output }, view.actor);
    view.require(
      name !== undefined,
      "invalid transaction",
      `claim ${shortId(id)} is no attestation of the output`,
    );
    view.require(
      rule.verifiers.includes(claim.issuer) && claim.issuer !== view.actor,
      "invalid transaction",
      `claim ${shortId(id)} is not by a verifier of the task`,
    );
    view.require(!seen.has(claim.issuer), "invalid transaction", "a verifier attests once");
    seen.add(claim.issuer);
    return { claim: id, name };
  });
}

/** What stands behind a result that passes the rule: the worker's bond, then the verifiers'. */
function needBacking(view: View, task: Task, body: TaskSettleBody): readonly Backing[] {
  const result = needResult(view, task, body);
  const attesting = attestingBonds(view, task, result, body);
  view.require(
    isSameFormula(
      result.trust.formula,
      resultFormula(task.rule, view.actor, body.attestations),
    ),
    "invalid transaction",
    "the result does not rest on exactly what the task requires",
  );
  const reader = {
    claim: (id: string) => view.get(claimKind, id),
    bond: (id: string) => view.get(bondKind, id),
  };
  const { decision } = assess(reader, result.claim, {
    pulse: view.pulse,
    value: task.amount,
    kappa: task.rule.kappa,
    distrusted: new Set(),
    maxSteps: SETTLING_STEPS,
  });
  view.require(
    decision.accept,
    "invalid transaction",
    `the result is not accepted: ${decision.reasons[0]}`,
  );
  const own = { claim: body.result, name: { account: view.actor, label: TASK_BOND_LABEL } };
  return [own, ...attesting].map(({ claim, name }) => {
    const id = bondId(name);
    return { id, bond: needBond(view, id), claim };
  });
}

export const taskSettle = defineTxKind({
  name: "task_settle",
  tag: 65,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check({ result, attestations }: TaskSettleBody) {
    const distinct = new Set([result, ...attestations]);
    return distinct.size < 1 + attestations.length
      ? "a task is settled with distinct claims"
      : undefined;
  },
  touches: ({ task, result, attestations }) => ({ shared: [task, result, ...attestations] }),
  intent({ task, result, attestations }, say) {
    const settle = `Settle task ${say.short(task)} with result ${say.short(result)}`;
    if (attestations.length === 0) return settle;
    const claims = attestations.length === 1 ? "claim" : "claims";
    return `${settle}, attested by ${claims} ${say.list(attestations.map(say.short))}`;
  },
  apply(view: View, body) {
    const task = view.need(taskKind, body.task);
    view.require(
      task.worker === null || task.worker === view.actor,
      "unauthorized",
      "only the worker that the task names may settle it",
    );
    requireOpen(view, task);
    view.require(
      view.pulse <= task.deadline,
      "invalid transaction",
      `the task could be settled until Pulse ${task.deadline}`,
    );
    const backing = needBacking(view, task, body);
    const until = view.pulse + task.rule.reliance;
    const parts = reserve(view, backing, {
      account: task.poster,
      amount: requiredOf({ value: task.amount, kappa: task.rule.kappa }),
      until,
    });
    view.credit(view.actor, USD, task.amount);
    view.put(taskKind, body.task, {
      ...task,
      outcome: {
        kind: "paid",
        body: { worker: view.actor, result: body.result, at: view.pulse, until },
      },
    });
    view.emit("TaskPaid", {
      amount: task.amount,
      reserved: parts.map(({ claim, amount }) => [claim, amount]),
      result: body.result,
      task: body.task,
      until,
      worker: view.actor,
    });
  },
  tells: {
    TaskPaid: told,
  },
  done: (receipt, _body, say) => told(eventOf(receipt, "TaskPaid"), say),
});

/** @param fields of `TaskPaid`. */
function told(fields: EventFields, say: Say): string {
  const reserved = fields.payments("reserved").reduce((sum, [, amount]) => sum + amount, 0n);
  return `task ${say.short(fields.id("task"))} paid ${say.amount(fields.amount("amount"))} ` +
    `to ${say.account(fields.id("worker"))}; ${say.amount(reserved)} of what backs ` +
    `result ${say.short(fields.id("result"))} reserved until Pulse ${fields.pulse("until")}`;
}
