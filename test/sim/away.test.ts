/** A validator that was away for longer than blocks are kept comes back by a snapshot, by seed. */
import { expect, it } from "vitest";
import { awayPlanOf } from "./away_plan.ts";
import type { Outcome } from "./outcome.ts";
import { run } from "./simulation.ts";
import { shareOf } from "../share.ts";

const SEEDS = shareOf([1, 3, 4, 5, 6]);
/** A hang is a failure; how busy the machine is decides nothing. */
const TIMEOUT_MS = 600_000;

const outcomes: Outcome[] = [];
for (const seed of SEEDS) {
  it(`run() breaks no promise when a validator is away for long, seed ${seed} [L-595]`, () => {
    const outcome = run(awayPlanOf(seed));
    expect(outcome.violation).toBeUndefined();
    outcomes.push(outcome);
  }, TIMEOUT_MS);
}

it("run() has such a validator take a snapshot", () => {
  expect(outcomes.map(({ snapshots }) => snapshots > 0)).toEqual(outcomes.map(() => true));
});
