/** Tests of many seeds, a few in each. */
import { expect, it } from "vitest";
import { isSecondRuntime, share } from "../share.ts";
import { planOf } from "./plan_of.ts";
import type { Outcome } from "./outcome.ts";
import { run } from "./simulation.ts";

/** Seeds in one test. */
const BATCH = 15;
/** A hang is a failure; how busy the machine is decides nothing. */
const TIMEOUT_MS = 600_000;

/** Tests that seeds of one parity break no promise, and that enough happens in them. */
export function runSeeds(
  { first, count: all }: { readonly first: number; readonly count: number },
): void {
  const count = share(all);
  const outcomes: Outcome[] = [];
  for (let done = 0; done < count; done += BATCH) {
    const seeds = Array.from(
      { length: Math.min(BATCH, count - done) },
      (_, i) => first + 2 * (done + i),
    );
    const [from, to] = [seeds[0], seeds.at(-1)];
    it(`run() breaks no promise, seeds ${from} to ${to} [L-595 L-596 L-598]`, () => {
      for (const seed of seeds) {
        const outcome = run(planOf(seed));
        const replay = `replay: scripts/sim --seed ${seed} --trace`;
        expect(outcome.violation, replay).toBeUndefined();
        outcomes.push(outcome);
      }
    }, TIMEOUT_MS);
  }

  // A fifth of the seeds is too few for what is rare in them; on each runtime the same seed comes to the same.
  if (isSecondRuntime) return;

  it("run() makes units final and executes them, voids slots, lets units expire", () => {
    const sum = (of: (outcome: Outcome) => number): number =>
      outcomes.reduce((total, outcome) => total + of(outcome), 0);
    expect(sum(({ executed }) => executed)).toBeGreaterThan(4 * count);
    expect(sum(({ finals }) => finals)).toBeGreaterThan(3 * count);
    expect(sum(({ voids }) => voids)).toBeGreaterThan(count / 20);
    expect(sum(({ expired }) => expired)).toBeGreaterThan(count / 4);
    expect(sum(({ sessions }) => sessions)).toBeGreaterThan(count);
    // Claims, memory logs, spawned agents, tasks, storage deals and stake are in some even plans.
    if (first % 2 === 1) return;
    expect(sum(({ refuted }) => refuted)).toBeGreaterThan(count / 30);
    expect(sum(({ paid }) => paid)).toBeGreaterThan(count / 30);
    expect(sum(({ refunded }) => refunded)).toBeGreaterThan(count / 30);
    expect(sum(({ memoryMoves }) => memoryMoves)).toBeGreaterThan(count / 3);
    expect(sum(({ spawned }) => spawned)).toBeGreaterThan(count / 4);
    expect(sum(({ roundsProven }) => roundsProven)).toBeGreaterThan(count / 20);
    expect(sum(({ earning }) => earning)).toBeGreaterThan(count / 30);
  });
}
