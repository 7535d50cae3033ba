/** The plan of each seed. */
import { contestedPlanOf } from "./contested_plan.ts";
import { mixedPlanOf } from "./mixed_plan.ts";
import type { Plan } from "./plan.ts";

/** Odd seeds are about contested slots, even ones about everything else. */
export function planOf(seed: number): Plan {
  return seed % 2 === 0 ? mixedPlanOf(seed) : contestedPlanOf(seed);
}
