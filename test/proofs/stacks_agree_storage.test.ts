import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reasonOf } from "../ledger/_world.ts";
import { keepingWorld, storageHistories, storageOrderedOf } from "./_storage_histories.ts";
import { tellOfStorage } from "./_storage_stories.ts";
import { executeByBoth } from "./_two_stacks.ts";

describe("both stacks on storage deals, from what was touched", () => {
  it("both stacks come to every root and count over random histories of storage deals", () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(storageHistories, fc.integer({ min: 1, max: 5 }), (pulses, shards) => {
        const world = keepingWorld(shards);
        for (const pulse of pulses) {
          const { a, again, b, differences } = executeByBoth(world, storageOrderedOf(world, pulse));
          expect(differences).toEqual([]);
          expect(again).toEqual(b.output);
          for (const receipt of a.receipts) {
            const reason = reasonOf(receipt)?.replace(
              /[0-9a-f]{8}|[0-9.,]+ USD|(?<=Pulse |round )\d+/g,
              "…",
            );
            outcomes.add(`${receipt.kind}: ${reason ?? receipt.outcome.kind}`);
          }
        }
      }),
      { numRuns: 80, seed: 20_261_130 },
    );
    // What was compared: every kind's success, and every way in which it can fail.
    const seen = [...outcomes];
    expect(seen.filter((one) => one.endsWith(": success")).length).toBe(4);
    expect(seen.length).toBe(27);
  });

  it("both stacks agree on every story of storage deals", () => {
    let pulses = 0;
    tellOfStorage((world, ordered, advanceMs) => {
      expect(executeByBoth(world, ordered, { advanceMs }).differences).toEqual([]);
      pulses++;
    });
    expect(pulses).toBeGreaterThan(250);
  });
});
