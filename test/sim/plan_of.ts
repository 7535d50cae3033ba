/** The plan of each seed. */
import { contestedPlanOf, jointPlanOf } from "./contested_plan.ts";
import { mixedPlanOf } from "./mixed_plan.ts";
import { rotatingPlanOf } from "./rotating_plan.ts";
import type { Plan } from "./plan.ts";

/**
 * Odd seeds are about contested slots, each twentieth of units of several accounts; each fourth is about
 * keys that change, the others about all else.
 */
export function planOf(seed: number): Plan {
  if (seed % 20 === 17) return jointPlanOf(seed);
  if (seed % 2 === 1) return contestedPlanOf(seed);
  return seed % 4 === 0 ? rotatingPlanOf(seed) : mixedPlanOf(seed);
}
