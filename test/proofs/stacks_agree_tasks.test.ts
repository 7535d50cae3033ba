import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Receipt } from "#internal/ledger/mod.ts";
import { reasonOf } from "../ledger/_world.ts";
import { tellOfSearch } from "./_decision_stories.ts";
import { busyWorkshop, taskHistories, tasksOrderedOf } from "./_task_histories.ts";
import { tellOfTasks } from "./_task_stories.ts";
import { executeByBoth } from "./_two_stacks.ts";

describe("both stacks on tasks, from what was touched", () => {
  it("both stacks come to every root and count over random histories of tasks", () => {
    const outcomes = new Map<string, number>();
    fc.assert(
      fc.property(taskHistories, fc.integer({ min: 1, max: 5 }), (pulses, shards) => {
        const { world, robot } = busyWorkshop(shards);
        for (const pulse of pulses) {
          const ordered = tasksOrderedOf(world, robot, pulse);
          const { a, again, b, differences } = executeByBoth(world, ordered);
          expect(differences).toEqual([]);
          expect(again).toEqual(b.output);
          for (const receipt of a.receipts) {
            const reason = reasonOf(receipt)?.replace(/[0-9a-f]{8}|[0-9.,]+( USD)?|\d+$/g, "…");
            const outcome = `${receipt.kind}: ${reason ?? receipt.outcome.kind}`;
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          }
        }
      }),
      { numRuns: 50, seed: 20_261_130 },
    );
    // What was compared: every kind's success, and most of the ways in which it can fail.
    for (const [kind, ways] of [["post", 5], ["settle", 12], ["refund", 5]] as const) {
      const of = [...outcomes].filter(([one]) => one.startsWith(`task_${kind}: `));
      expect(outcomes.get(`task_${kind}: success`)).toBeGreaterThan(20);
      expect(of.length).toBeGreaterThan(ways);
    }
  });

  it("both stacks search for the same cost of corruption, cut off or not", () => {
    const costs = fc.integer({ min: 1, max: 40 }).chain((least) =>
      fc.array(fc.integer({ min: least, max: least + 20 }), { minLength: 8, maxLength: 8 })
    );
    const digit = fc.constantFrom(..."01234567".split(""));
    const pairs = fc.string({ unit: digit, minLength: 28, maxLength: 28 });
    const costsFound = new Set<string>();
    fc.assert(
      fc.property(fc.record({ costs, pairs }), (search) => {
        tellOfSearch((world, name, ...actions) => {
          const { a, differences } = executeByBoth(world, [world.unit(name, actions)]);
          expect(differences).toEqual([]);
          costsFound.add(reasonOf(a.receipts[0] as Receipt) ?? "");
        }, search);
      }),
      { numRuns: 20, seed: 20_261_130 },
    );
    expect(costsFound.size).toBeGreaterThan(20);
  });

  it("both stacks agree on every story of tasks", () => {
    const outcomes = new Set<string>();
    tellOfTasks((world, ordered, advanceMs) => {
      const { a, differences } = executeByBoth(world, ordered, { advanceMs });
      expect(differences).toEqual([]);
      for (const receipt of a.receipts) {
        outcomes.add(`${receipt.kind}: ${reasonOf(receipt) ?? receipt.outcome.kind}`);
      }
    });
    const ofTasks = [...outcomes].filter((one) => one.startsWith("task_"));
    expect(ofTasks.length).toBeGreaterThan(100);
  });
});
