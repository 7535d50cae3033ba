/** What the oracle of tasks refuses. */
import { describe, expect, it } from "vitest";
import type { LedgerState, Task } from "#internal/ledger/mod.ts";
import { taskKind } from "#internal/ledger/mod.ts";
import { resultOf, settle, taskWorld } from "../ledger/_tasks.ts";
import { usd, World } from "../ledger/_world.ts";
import { TasksOracle } from "./tasks_oracle.ts";

describe("TasksOracle", () => {
  /** A task of alice's for bob that he has been paid for, and what came before. */
  function seen() {
    const world = new World();
    const id = taskWorld(world);
    const open = world.state;
    const result = world.make("bob", resultOf("bob", id));
    world.make("bob", settle(id, result));
    const oracle = new TasksOracle();
    oracle.pulse(world.pulse - 2n, open);
    /** A state of a Pulse, but for members of the task. */
    const change = (pulse: bigint, members: object, of = world.state) => {
      const entries = [...of.entries()].map(([key, object]) => [
        key,
        key === id ? { ...object, value: { ...object.value as object, ...members } } : object,
      ]);
      return () => oracle.pulse(pulse, { entries: () => entries } as unknown as LedgerState);
    };
    return { world, oracle, change, open, task: world.read(taskKind, id) as Task };
  }

  it("refuses other terms, and what is paid late, to another, or with less held [L-351 L-385]", () => {
    const { world, change, task, oracle } = seen();
    const at = world.pulse;
    expect(change(at, { amount: usd(4) })).toThrow("has other terms");
    const fresh = (pulse: bigint, members: object) => seen().change(pulse, members);
    const paid = (body: object) => ({
      outcome: { kind: "paid", body: { ...task.outcome.body, ...body } },
    });
    expect(fresh(at + 1n, {})).toThrow("ended in another Pulse");
    const late = task.deadline + 1n;
    expect(fresh(late, paid({ at: late }))).toThrow("is paid after its deadline");
    expect(fresh(at, paid({ worker: task.poster }))).toThrow("pays another than its worker");
    expect(fresh(at, paid({ until: 1n }))).toThrow("is paid with 0 held for its poster");
    expect(oracle.paid).toBe(0);
    const good = seen();
    expect(good.change(at, {})).not.toThrow();
    expect(good.oracle.paid).toBe(1);
    expect(good.change(at + 1n, paid({ until: 1n }))).toThrow("ends a second time");
  });

  it("refuses money that goes back before the deadline [L-393]", () => {
    const { change, open, task } = seen();
    const refunded = (at: bigint) => ({ outcome: { kind: "refunded", body: { at } } });
    expect(change(task.deadline, refunded(task.deadline), open)).toThrow("before its deadline");
    const { oracle, change: other } = seen();
    const late = task.deadline + 1n;
    expect(other(late, refunded(late), open)).not.toThrow();
    expect(oracle.refunded).toBe(1);
  });
});
