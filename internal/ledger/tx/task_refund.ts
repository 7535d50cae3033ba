/**
 * Takes what is in escrow of a task back to where it came from, once nothing can be settled any
 * more. By who posted it or, of an agent's task, stands above the agent.
 */
import { id, struct } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { levelAbove, lineOf } from "../delegation.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { allotmentKind } from "../objects/allotment.ts";
import { USD } from "../objects/asset.ts";
import { charterKind } from "../objects/charter.ts";
import type { Task } from "../objects/task.ts";
import { taskKind } from "../objects/task.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";
import { requireOpen } from "./_tasks.ts";

const codec = struct({ task: id });

/** Body of `task_refund`. */
type TaskRefundBody = ValueOf<typeof codec>;

function requireAuthority(view: View, { poster, budget }: Task): void {
  if (poster === view.actor) return;
  if (budget === null) {
    return view.fail("unauthorized", "only the poster may take back what is in escrow");
  }
  const { agent } = view.need(charterKind, budget.charter);
  levelAbove(view, lineOf(view, agent), "take back its escrow");
}

function giveBack(view: View, { poster, budget, amount }: Task): void {
  if (budget === null) return view.credit(poster, USD, amount);
  const allotment = view.need(allotmentKind, budget.allotment);
  view.put(allotmentKind, budget.allotment, {
    ...allotment,
    balance: allotment.balance + amount,
    spent: allotment.spent - amount,
  });
}

export const taskRefund = defineTxKind({
  name: "task_refund",
  tag: 66,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ task }: TaskRefundBody) => ({ shared: [task] }),
  intent: ({ task }, say) => `Take back what is in escrow of task ${say.short(task)}`,
  apply(view: View, { task: id }) {
    const task = view.need(taskKind, id);
    requireAuthority(view, task);
    requireOpen(view, task);
    view.require(
      view.pulse > task.deadline,
      "invalid transaction",
      `the task can be settled until Pulse ${task.deadline}`,
    );
    giveBack(view, task);
    view.put(taskKind, id, {
      ...task,
      outcome: { kind: "refunded", body: { at: view.pulse } },
    });
    view.emit("TaskRefunded", {
      allotment: task.budget && task.budget.allotment,
      amount: task.amount,
      poster: task.poster,
      task: id,
    });
  },
  tells: {
    TaskRefunded: (fields, say) =>
      told(fields, "given back", `to ${say.account(fields.id("poster"))}`, say),
  },
  done: (receipt, _body, say) => told(eventOf(receipt, "TaskRefunded"), "taken back", "", say),
});

/** @param to where it goes, unless into an allotment. */
function told(fields: EventFields, done: string, to: string, say: Say): string {
  const allotment = fields.idIfAny("allotment");
  const where = allotment === undefined ? to : `into allotment ${say.short(allotment)}`;
  return `${say.amount(fields.amount("amount"))} of task ${say.short(fields.id("task"))} ` +
    `${done} ${where}`.trimEnd();
}
