/** Plans in which validators change their keys, with unequal stakes, among all other faults. */
import { mixedPlanOf } from "./mixed_plan.ts";
import type { Plan, PlanEvent } from "./plan.ts";
import { someValidators, VALIDATORS } from "./plan.ts";
import { Random } from "./random.ts";

/** The plan of a seed: one of a mixed plan with one or two rotations in it. */
export function rotatingPlanOf(seed: number): Plan {
  const random = new Random(seed, "rotating plan");
  const mixed = mixedPlanOf(seed);
  const { liar } = mixed;
  // A store that is lost is a validator that is gone: never beside a liar.
  const isLost = liar === null && random.chance(0.6);
  const plan: Plan = isLost
    ? { ...mixed, skewMs: mixed.skewMs.map((ms) => Math.min(ms, 150)) }
    : mixed;
  const honest = random.shuffled([0, 1, 2, 3].filter((validator) => validator !== liar));
  const rotations = honest.slice(0, random.pick([1, 1, 2])).map((validator, at): PlanEvent => ({
    type: "rotate",
    atMs: random.int(1, Math.max(1, Math.floor(plan.stormMs / 2))),
    validator,
    lost: isLost && at === 0,
    at: someValidators(random),
  }));
  return {
    ...plan,
    stakes: Array.from({ length: VALIDATORS }, () => random.int(60_000, 400_000)),
    events: [...plan.events, ...rotations].sort((a, b) => a.atMs - b.atMs),
  };
}
