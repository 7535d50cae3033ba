import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reasonOf } from "../ledger/_world.ts";
import { claimHistories, claimingWorld, claimsOrderedOf } from "./_claim_histories.ts";
import { tellOfClaims } from "./_claim_stories.ts";
import { executeByBoth } from "./_two_stacks.ts";

describe("both stacks on bonds and claims, from what was touched", () => {
  it("both stacks come to every root and count over random histories of bonds and claims", () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(claimHistories, fc.integer({ min: 1, max: 5 }), (pulses, shards) => {
        const world = claimingWorld(shards);
        for (const pulse of pulses) {
          const { a, again, b, differences } = executeByBoth(world, claimsOrderedOf(world, pulse));
          expect(differences).toEqual([]);
          expect(again).toEqual(b.output);
          for (const receipt of a.receipts) {
            const reason = reasonOf(receipt)?.replace(/[0-9a-f]{8}|[0-9.,]+ USD|\d+$/g, "…");
            outcomes.add(`${receipt.kind}: ${reason ?? receipt.outcome.kind}`);
          }
        }
      }),
      { numRuns: 60, seed: 20_261_130 },
    );
    // What was compared: every kind's success, and most of the ways in which it can fail.
    expect([...outcomes].filter((one) => one.endsWith(": success")).length).toBe(8);
    expect(outcomes.size).toBeGreaterThan(40);
  });

  it("both stacks agree on every story of bonds and claims", () => {
    let pulses = 0;
    tellOfClaims((world, ordered, advanceMs) => {
      expect(executeByBoth(world, ordered, { advanceMs }).differences).toEqual([]);
      pulses++;
    });
    expect(pulses).toBeGreaterThan(60);
  });
});
