/** The plan of each seed. */
import { awayPlanOf } from "./away_plan.ts";
import { contestedPlanOf, jointPlanOf } from "./contested_plan.ts";
import { endingPlanOf } from "./ending_plan.ts";
import { mixedPlanOf } from "./mixed_plan.ts";
import { rotatingPlanOf } from "./rotating_plan.ts";
import { slashingPlanOf } from "./slashing_plan.ts";
import type { Plan } from "./plan.ts";

/**
 * Odd seeds are about contested slots, each twentieth of units of several accounts; each fourth is about
 * keys that change, each fortieth about sessions' ends, the others about all else.
 */
export function planOf(seed: number): Plan {
  if (seed % 20 === 17) return jointPlanOf(seed);
  if (seed % 2 === 1) return contestedPlanOf(seed);
  if (seed % 40 === 38) return endingPlanOf(seed);
  return seed % 4 === 0 ? rotatingPlanOf(seed) : mixedPlanOf(seed);
}

/** Plans by what they are about. */
export const PLANS: Readonly<Record<string, (seed: number) => Plan>> = {
  all: planOf,
  away: awayPlanOf,
  ending: endingPlanOf,
  slashing: slashingPlanOf,
};
