/**
 * Posts a task: money in escrow for work, with the rule that results have to pass. The money is the
 * acting account's or, of an agent, an allotment's, within its charter and every charter above.
 */
import {
  formatFactor,
  FULL_DETECTION,
  id,
  MAX_RESERVATION_PULSES,
  MAX_TASK_KAPPA,
  MAX_TASK_PULSES,
  option,
  struct,
  u64,
} from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { labelFault } from "../claims/atom.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import type { Task, TaskRule } from "../objects/task.ts";
import { budgetCodec, taskKind, taskRuleCodec } from "../objects/task.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { needActiveClaim } from "./_backing.ts";
import { issueReceipt, spendBudget } from "./_budget.ts";

/** What the receipt claim of an agent's task states as its purpose. */
const PURPOSE = "escrow of a task";

const codec = struct({
  /** The agent's money to post from; null for the acting account's. */
  budget: option(budgetCodec),
  /** Who alone can be paid; null for a bounty. */
  worker: option(id),
  /** Micro-USD, paid in full. */
  amount: u64,
  /** SHA-256 of the description. */
  spec: option(id),
  rule: taskRuleCodec,
  /** Pulses that it can be settled for, after the one it is posted in. */
  pulses: u64,
});

/** Body of `task_post`. */
export type TaskPostBody = ValueOf<typeof codec>;

function fault({ worker, amount, rule, pulses }: TaskPostBody): string | undefined {
  if (amount === 0n) return "an amount must be above 0";
  if (pulses < 1n || pulses > MAX_TASK_PULSES) {
    return `a task can be settled for 1 to ${MAX_TASK_PULSES} Pulses`;
  }
  return ruleFault(rule) ??
    (worker !== null && rule.verifiers.includes(worker)
      ? "a worker cannot verify its own result"
      : undefined);
}

function ruleFault(rule: TaskRule): string | undefined {
  const { requires, verifiers, adjudicator, kappa, detection, reliance } = rule;
  if (new Set(requires).size < requires.length) return "required claims must be distinct";
  if (verifiers.some((verifier, at) => at > 0 && (verifiers[at - 1] as string) >= verifier)) {
    return "verifiers must be distinct and in ascending order";
  }
  if (kappa < 1n || kappa > MAX_TASK_KAPPA) {
    return `a safety factor is 0.000001 to ${formatFactor(MAX_TASK_KAPPA)}`;
  }
  if (detection < 1 || detection > FULL_DETECTION) {
    return `a detection factor is 1 to ${FULL_DETECTION} thousandths`;
  }
  if (reliance < 1n || reliance > MAX_RESERVATION_PULSES) {
    return `backing stays reserved for 1 to ${MAX_RESERVATION_PULSES} Pulses`;
  }
  return adjudicator ? labelFault(adjudicator.label) : undefined;
}

function intentOf({ budget, worker, amount, spec, rule, pulses }: TaskPostBody, say: Say): string {
  const { requires, verifiers, adjudicator, kappa, detection, reliance } = rule;
  const parts = [
    worker === null
      ? `Post a bounty of ${say.amount(amount)}`
      : `Post a task of ${say.amount(amount)} for ${say.account(worker)}`,
  ];
  if (spec !== null) parts.push(`described by ${say.short(spec)}`);
  parts.push(`to be settled within ${pulses} Pulses`);
  if (requires.length > 0) {
    const claims = requires.length === 1 ? "claim" : "claims";
    parts.push(`resting on ${claims} ${say.list(requires.map(say.short))}`);
  }
  if (verifiers.length > 0) {
    parts.push(`attested by ${say.list(verifiers.map(say.account))} or not at all`);
  }
  parts.push(
    adjudicator
      ? `judged by ${say.account(adjudicator.account)} with bond ${adjudicator.label}`
      : "judged by nobody",
  );
  if (detection < FULL_DETECTION) {
    parts.push(`noticed at most ${detection} times in ${FULL_DETECTION}`);
  }
  parts.push(
    `backed by ${formatFactor(kappa)} times the payment`,
    `which stays reserved for ${reliance} Pulses`,
  );
  if (budget) {
    parts.push(
      `from allotment ${say.short(budget.allotment)} under charter ${say.short(budget.charter)}`,
    );
  }
  return parts.join(", ");
}

export const taskPost = defineTxKind({
  name: "task_post",
  tag: 64,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: fault,
  spendBound: ({ budget, amount }) => budget === null ? { asset: USD, amount } : undefined,
  touches: ({ budget, rule }) => ({
    shared: [...rule.requires, ...(budget ? [budget.charter, budget.allotment] : [])],
  }),
  intent: intentOf,
  apply(view: View, { budget, worker, amount, spec, rule, pulses }) {
    for (const id of rule.requires) needActiveClaim(view, id);
    const spent = budget ? spendBudget(view, { ...budget, payee: worker, amount }) : undefined;
    if (spent === undefined) view.debit(USD, amount);
    const deadline = view.pulse + pulses;
    const task = view.create(
      taskKind,
      {
        poster: view.actor,
        budget,
        worker,
        amount,
        spec,
        rule,
        posted: view.pulse,
        deadline,
        outcome: { kind: "open", body: {} },
      } satisfies Task,
    );
    const receipt = budget && spent?.receipts
      ? issueReceipt(view, {
        charter: budget.charter,
        payee: task,
        asset: spent.asset,
        amount,
        purpose: PURPOSE,
        session: null,
        call: null,
      })
      : null;
    view.emit("TaskPosted", {
      amount,
      charter: budget && budget.charter,
      deadline,
      poster: view.actor,
      receipt,
      task,
      worker,
    });
  },
  tells: {
    TaskPosted(fields, say) {
      const worker = fields.idIfAny("worker");
      return `task ${say.short(fields.id("task"))} of ${say.amount(fields.amount("amount"))} ` +
        `posted by ${say.account(fields.id("poster"))}` +
        (worker === undefined ? "" : ` for ${say.account(worker)}`) +
        `, to be settled until Pulse ${fields.pulse("deadline")}${receiptTold(fields, say)}`;
    },
  },
  done(receipt, { amount }, say) {
    const fields = eventOf(receipt, "TaskPosted");
    return `task ${say.short(fields.id("task"))} posted, with ${say.amount(amount)} in escrow` +
      receiptTold(fields, say);
  },
});

/** @param fields of `TaskPosted`. */
function receiptTold(fields: EventFields, say: Say): string {
  const claim = fields.idIfAny("receipt");
  return claim === undefined ? "" : ` (receipt claim ${say.short(claim)})`;
}
