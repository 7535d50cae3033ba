/** `task_settle`: pays for a result that passes the task's rule, and holds what backs it. */
import { id, list, struct } from "#internal/core/mod.ts";
import { readBond } from "../claims.ts";
import { USD } from "../context.ts";
import { reasonAgainst, requiredFor } from "../decision.ts";
import { invalid, unauthorized } from "../failure.ts";
import { bondId } from "../formula.ts";
import { defineKind } from "../kind.ts";
import type { Task } from "../objects.ts";
import { hold, partsOf } from "../reserving.ts";
import { checkOpen, checkRests, readAttestations, readResult, workersBond } from "../tasks.ts";

/** docs/protocol/tasks.md, task_settle. */
export const taskSettle = defineKind({
  name: "task_settle",
  tag: 65,
  codec: struct({ task: id, result: id, attestations: list(id, 16) }),
  fixes: "execution",
  fault({ result, attestations }) {
    const claims = [result, ...attestations];
    return new Set(claims).size < claims.length ? "a claim stands twice" : null;
  },
  apply(context, body) {
    const { account: worker, pulse } = context;
    const task = context.get("task", body.task);
    checkMaySettle(task, worker, pulse);
    const result = readResult(context, body.task, task, body.result);
    const ids = body.attestations;
    const attestations = readAttestations(context, body.task, task, { result, ids });
    checkRests(result, task, attestations);
    const required = requiredFor(task.amount, task.rule.kappa);
    const reason = reasonAgainst(context, result.said, required);
    if (reason !== null) invalid(`the result is not accepted: ${reason}`);
    const own = { id: result.id, bond: workersBond(result.said) };
    const behind = [own, ...attestations].map(({ id: claim, bond: name }) => {
      const bond = bondId(name);
      return { claim, id: bond, bond: readBond(context, bond) };
    });
    const parts = partsOf(behind, required);
    const until = pulse + task.rule.reliance;
    hold(context, parts, { account: task.poster, until });
    const paid = { worker, result: result.id, at: pulse, until };
    context.put("task", body.task, { ...task, outcome: { kind: "paid", body: paid } });
    context.credit(worker, USD, task.amount);
    const reserved = parts.map(({ claim, part }) => [claim, part]);
    const { amount } = task;
    return { TaskPaid: { amount, reserved, result: result.id, task: body.task, until, worker } };
  },
});

function checkMaySettle(task: Task, account: string, pulse: bigint): void {
  if (task.worker !== null && task.worker !== account) {
    unauthorized("only the worker that the task names may settle it");
  }
  checkOpen(task);
  if (pulse > task.deadline) invalid(`the task could be settled until Pulse ${task.deadline}`);
}
