/**
 * A task: money in escrow for work, and the rule that says what result it is paid for, fixed when it
 * was posted. What was asked for and what was handed in are known to the ledger by their hashes.
 */
import type { Codec, TASK_STATES, ValueOf } from "#internal/core/mod.ts";
import { id, list, option, struct, u16, u64, union } from "#internal/core/mod.ts";
import { atomId, bondNameCodec } from "../claims/atom.ts";
import { defineObjectKind } from "../object_kind.ts";
import { USD } from "./asset.ts";

/** Claims that results of a task may have to rest on. */
const MAX_REQUIRED_CLAIMS = 8;
/** Accounts whose attestations may count for a task. */
export const MAX_VERIFIERS = 16;

/** The encoding of {@link Budget}. */
export const budgetCodec = struct({ charter: id, allotment: id });

/** An agent's money: an allotment, and the charter that it is spent under. */
export type Budget = ValueOf<typeof budgetCodec>;

/** The encoding of {@link TaskRule}. */
export const taskRuleCodec = struct({
  /** Claims that every result rests on. */
  requires: list(id, MAX_REQUIRED_CLAIMS),
  /** Accounts whose attestations count, in ascending order. */
  verifiers: list(id, MAX_VERIFIERS),
  /** Who judges results and attestations, with the bond it has at stake for that. */
  adjudicator: option(bondNameCodec),
  /** κ of the decision rule, in millionths. */
  kappa: u64,
  /** Thousandths: the most that a result may declare. */
  detection: u16,
  /** Pulses that what backs a paid result stays reserved. */
  reliance: u64,
});

/** What a result has to rest on to be paid. */
export type TaskRule = ValueOf<typeof taskRuleCodec>;

const outcomeCodec = union({
  open: [0, struct({})],
  /** `at`: the Pulse of the payment. `until`: the last Pulse in which the backing is held. */
  paid: [1, struct({ worker: id, result: id, at: u64, until: u64 })],
  refunded: [2, struct({ at: u64 })],
});

export interface Task {
  /** Who posted it, and is compensated. */
  readonly poster: string;
  /** Where the money came from and would go back to; null for the poster's balance. */
  readonly budget: Budget | null;
  /** Who alone can be paid; null for a bounty. */
  readonly worker: string | null;
  /** Micro-USD in escrow while it is open. */
  readonly amount: bigint;
  /** SHA-256 of the description. */
  readonly spec: string | null;
  readonly rule: TaskRule;
  /** The Pulse it was posted in. */
  readonly posted: bigint;
  /** The last Pulse in which it can be settled. */
  readonly deadline: bigint;
  readonly outcome: ValueOf<typeof outcomeCodec>;
}

const codec: Codec<Task> = struct({
  poster: id,
  budget: option(budgetCodec),
  worker: option(id),
  amount: u64,
  spec: option(id),
  rule: taskRuleCodec,
  posted: u64,
  deadline: u64,
  outcome: outcomeCodec,
});

export const taskKind = defineObjectKind({
  name: "task",
  tag: 64,
  codec,
  holds({ amount, outcome }: Task, add) {
    if (outcome.kind === "open") add(USD, amount);
  },
  refs: ({ poster, worker, budget, outcome }: Task) => ({
    poster,
    worker: outcome.kind === "paid" ? outcome.body.worker : worker,
    charter: budget && budget.charter,
    allotment: budget && budget.allotment,
    result: outcome.kind === "paid" ? outcome.body.result : null,
  }),
  view: (value: Task, { pulse }) => ({
    poster: value.poster,
    charter: value.budget && value.budget.charter,
    allotment: value.budget && value.budget.allotment,
    worker: value.worker,
    amount: value.amount,
    spec: value.spec,
    requires: value.rule.requires,
    verifiers: value.rule.verifiers,
    adjudicator: value.rule.adjudicator && {
      ...value.rule.adjudicator,
      atom: atomId({ kind: "adjudicator", body: value.rule.adjudicator }),
    },
    kappa: value.rule.kappa,
    detection_permille: value.rule.detection,
    reliance_pulses: value.rule.reliance,
    posted: value.posted,
    deadline: value.deadline,
    state: taskState(value, pulse),
    paid: value.outcome.kind === "paid" ? { ...value.outcome.body } : null,
    refunded: value.outcome.kind === "refunded" ? value.outcome.body.at : null,
  }),
});

/** How a task stands at a Pulse. */
function taskState(
  { outcome, deadline }: Task,
  pulse: bigint,
): (typeof TASK_STATES)[number] {
  return outcome.kind === "open" && pulse > deadline ? "expired" : outcome.kind;
}
