/** Tasks of a run, from Pulse to Pulse: what must hold of them whatever was executed. */
import type { LedgerState, Task } from "#internal/ledger/mod.ts";
import { taskKind } from "#internal/ledger/mod.ts";
import { encode } from "#internal/core/mod.ts";
import type { Bond } from "../../internal/ledger/objects/bond.ts";
import { bondKind } from "../../internal/ledger/objects/bond.ts";
import { Violation } from "./violation.ts";

/** Holds the tasks of each Pulse against those of the one before. */
export class TasksOracle {
  readonly #tasks = new Map<string, Task>();
  /** Tasks paid. */
  paid = 0;
  /** Tasks whose money went back. */
  refunded = 0;

  pulse(number: bigint, state: Pick<LedgerState, "entries">): void {
    const entries = [...state.entries()];
    const bonds = entries.flatMap(([, { kind, value }]) =>
      kind === bondKind.name ? [value as Bond] : []
    );
    for (const [id, { kind, value }] of entries) {
      if (kind === taskKind.name) this.#task(id, value as Task, number, bonds);
    }
  }

  /** What was agreed stays; a task ends once, in time, and what backs a paid one is held. */
  #task(id: string, task: Task, pulse: bigint, bonds: readonly Bond[]): void {
    const before = this.#tasks.get(id);
    this.#tasks.set(id, task);
    if (before && termsOf(before) !== termsOf(task)) throw wrong(id, pulse, "has other terms");
    const { outcome, deadline } = task;
    if (before && before.outcome.kind !== "open") {
      if (outcomeOf(before) !== outcomeOf(task)) throw wrong(id, pulse, "ends a second time");
      return;
    }
    if (outcome.kind === "open") return;
    if (outcome.body.at !== pulse) throw wrong(id, pulse, "ended in another Pulse");
    if (outcome.kind === "refunded") {
      this.refunded++;
      if (pulse <= deadline) throw wrong(id, pulse, "is given back before its deadline");
      return;
    }
    this.paid++;
    if (pulse > deadline) throw wrong(id, pulse, "is paid after its deadline");
    if (task.worker !== null && task.worker !== outcome.body.worker) {
      throw wrong(id, pulse, "pays another than its worker");
    }
    const held = heldFor(task.poster, outcome.body.until, bonds);
    if (held * 1_000_000n < task.amount * task.rule.kappa) {
      throw wrong(id, pulse, `is paid with ${held} held for its poster`);
    }
  }
}

function heldFor(account: string, until: bigint, bonds: readonly Bond[]): bigint {
  return bonds.flatMap(({ reservations }) => reservations)
    .filter((one) => one.account === account && one.until === until)
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** A task as if it were open. */
function termsOf(task: Task): string {
  return encode(taskKind.codec, { ...task, outcome: { kind: "open", body: {} } }).join();
}

function outcomeOf(task: Task): string {
  return encode(taskKind.codec, task).join();
}

function wrong(id: string, pulse: bigint, what: string): Violation {
  return new Violation("tasks", `${id.slice(0, 8)} ${what} in Pulse ${pulse}`);
}
