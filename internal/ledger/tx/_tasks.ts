/** What kinds of tasks share. */
import type { Task } from "../objects/task.ts";
import type { View } from "../view.ts";

/** Fails of a task whose escrow is gone. */
export function requireOpen(view: View, { outcome }: Task): void {
  view.require(
    outcome.kind === "open",
    "invalid transaction",
    `the task is ${outcome.kind} already`,
  );
}
