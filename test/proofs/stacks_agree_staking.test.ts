import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SionError } from "#internal/core/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import { decodeUnit } from "../../internal/proofs/world/stack_b/unit.ts";
import type { TaggedBody } from "./_bodies.ts";
import { unitAround } from "./_bodies.ts";
import { misshapenStakes, shapelyStakes } from "./_misshapen_stakes.ts";
import { drawnPulse, STAKE_KINDS, StakedLife } from "./_stake_histories.ts";
import { tellOfStaking } from "./_staking_stories.ts";
import type { Execute } from "./_story.ts";
import { executeByBoth } from "./_two_stacks.ts";
import { tellOfUnbonding } from "./_unbonding_stories.ts";

const ledger = createLedger({});

/** Whether each of the stacks takes a body for one of its kind. */
function verdicts(body: TaggedBody): [boolean, boolean] {
  const bytes = unitAround(body);
  const isRead = (read: (bytes: Uint8Array) => unknown): boolean => {
    try {
      read(bytes);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(SionError);
      return false;
    }
  };
  return [isRead(ledger.decodeSigned), isRead(decodeUnit)];
}

describe("both stacks on stake", () => {
  it("they come to the same of every story, from what was touched", () => {
    let pulses = 0;
    const compare: Execute = (world, ordered, advanceMs, closesSession = false) => {
      const { differences, again, b } = executeByBoth(world, ordered, { advanceMs, closesSession });
      expect(differences).toEqual([]);
      expect(again).toEqual(b.output);
      pulses++;
    };
    tellOfStaking(compare);
    tellOfUnbonding(compare);
    expect(pulses).toBeGreaterThan(200);
  });

  it("they come to the same of random histories, whatever their Pulses end", () => {
    const outcomes = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(drawnPulse, { minLength: 20, maxLength: 60, size: "max" }), (pulses) => {
        const life = new StakedLife();
        for (const drawn of pulses) {
          const { a, again, b, differences } = life.execute(drawn);
          expect(differences).toEqual([]);
          expect(again).toEqual(b.output);
          for (const { kind, outcome } of a.receipts) {
            const came = `${kind} ${outcome.kind}`;
            outcomes.set(came, (outcomes.get(came) ?? 0) + 1);
          }
        }
      }),
      { numRuns: 30, seed: 20_261_201 },
    );
    for (const kind of STAKE_KINDS) {
      expect(outcomes.get(`${kind} success`), kind).toBeGreaterThan(5);
      expect(outcomes.get(`${kind} failed`), kind).toBeGreaterThan(5);
    }
  });

  it("their decoders accept every body that is one, at its bounds", () => {
    expect(shapelyStakes().map(verdicts)).toEqual(shapelyStakes().map(() => [true, true]));
  });

  it("their decoders refuse every body that breaks one rule of its shape", () => {
    expect(misshapenStakes().map(verdicts)).toEqual(misshapenStakes().map(() => [false, false]));
  });
});
