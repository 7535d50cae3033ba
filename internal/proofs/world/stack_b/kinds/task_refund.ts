/** `task_refund`: takes back what is in escrow of a task that nobody settled in time. */
import { id, struct } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { invalid, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Task } from "../objects.ts";
import { lineOf, standAbove } from "../standing.ts";
import { checkOpen } from "../tasks.ts";

/** docs/protocol/tasks.md, task_refund. */
export const taskRefund = defineKind({
  name: "task_refund",
  tag: 66,
  codec: struct({ task: id }),
  fixes: "execution",
  apply(context, body) {
    const { pulse } = context;
    const task = context.get("task", body.task);
    checkMayTakeBack(context, task);
    checkOpen(task);
    if (pulse <= task.deadline) invalid(`the task can be settled until Pulse ${task.deadline}`);
    context.put("task", body.task, { ...task, outcome: { kind: "refunded", body: { at: pulse } } });
    giveBack(context, task);
    const { amount, poster } = task;
    const allotment = task.budget?.allotment ?? null;
    return { TaskRefunded: { allotment, amount, poster, task: body.task } };
  },
});

/** The poster may, and of an agent's task whoever stands above the agent. */
function checkMayTakeBack(context: Context, { poster, budget }: Task): void {
  if (context.account === poster) return;
  if (budget === null) return unauthorized("only the poster may take back what is in escrow");
  const { agent } = context.get("charter", budget.charter);
  standAbove(context, lineOf(context, agent), "take back its escrow");
}

/** To where the money came from. */
function giveBack(context: Context, { poster, budget, amount }: Task): void {
  if (budget === null) return context.credit(poster, USD, amount);
  const allotment = context.get("allotment", budget.allotment);
  const balance = allotment.balance + amount;
  const spent = allotment.spent - amount;
  return context.put("allotment", budget.allotment, { ...allotment, balance, spent });
}
