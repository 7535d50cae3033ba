/** `task_post`: puts money in escrow for work, with the rule for what work is paid. */
import { id, option, struct, u64 } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { labelFault } from "../formula.ts";
import { defineKind } from "../kind.ts";
import type { Task } from "../objects.ts";
import { budgetCodec, taskRuleCodec } from "../objects.ts";
import type { Spent } from "../spending.ts";
import { issueReceipt, spend } from "../spending.ts";
import { activeClaim } from "../tasks.ts";

/** Pulses of the longest task. */
const MAX_PULSES = 1_000_000_000n;
/** Pulses of the longest reliance. */
const MAX_RELIANCE = 100_000n;
/** Millionths of the largest factor. */
const MAX_KAPPA = 1_000_000_000_000n;
/** Thousandths: every time. */
const ALWAYS = 1000;

/** docs/protocol/tasks.md, task_post. */
export const taskPost = defineKind({
  name: "task_post",
  tag: 64,
  codec: struct({
    budget: option(budgetCodec),
    worker: option(id),
    amount: u64,
    spec: option(id),
    rule: taskRuleCodec,
    pulses: u64,
  }),
  fixes: "execution",
  fault({ worker, amount, rule, pulses }) {
    if (amount === 0n) return "an amount is 0";
    if (pulses < 1n || pulses > MAX_PULSES) return "a task is of no time or too long";
    if (worker !== null && rule.verifiers.includes(worker)) return "a worker verifies its own work";
    return ruleFault(rule);
  },
  apply(context, { budget, worker, amount, spec, rule, pulses }) {
    for (const claim of rule.requires) activeClaim(context, claim);
    const { asset, asked } = escrow(context, budget, worker, amount);
    const { account: poster, pulse: posted } = context;
    const deadline = posted + pulses;
    const task = context.make("task", () => ({
      poster,
      budget,
      worker,
      amount,
      spec,
      rule,
      posted,
      deadline,
      outcome: { kind: "open", body: {} },
    }));
    const charter = budget?.charter ?? null;
    const receipt = charter !== null && asked
      ? issueReceipt(context, asset, {
        charter,
        payee: task,
        amount,
        purpose: "escrow of a task",
        session: null,
        call: null,
      })
      : null;
    return { TaskPosted: { amount, charter, deadline, poster, receipt, task, worker } };
  },
});

function ruleFault(rule: Task["rule"]): string | null {
  const { requires, verifiers, adjudicator, kappa, detection, reliance } = rule;
  if (new Set(requires).size < requires.length) return "a claim is required twice";
  if (verifiers.some((one, i) => i > 0 && one <= (verifiers[i - 1] ?? ""))) {
    return "verifiers are not strictly ascending";
  }
  if (kappa < 1n || kappa > MAX_KAPPA) return "a factor is 0 or too large";
  if (detection < 1 || detection > ALWAYS) return "a detection is none";
  if (reliance < 1n || reliance > MAX_RELIANCE) return "a reliance is of no time or too long";
  return adjudicator && labelFault(adjudicator.label);
}

/** Takes the money from the account, or as an agent from its budget. */
function escrow(
  context: Context,
  budget: Task["budget"],
  payee: string | null,
  amount: bigint,
): Spent {
  if (budget !== null) return spend(context, { ...budget, payee, amount });
  context.take(USD, amount);
  return { asset: USD, asked: false };
}
