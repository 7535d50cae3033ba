/** Makes a failing plan shorter: leaves out events and faults as long as the same promise breaks. */
import type { Plan, PlanEvent } from "./plan.ts";
import type { Rules } from "./rules.ts";
import { run } from "./simulation.ts";
import type { Violation } from "./violation.ts";

/** A shorter plan and what breaks in it. */
export interface Shrunk {
  readonly plan: Plan;
  readonly violation: Violation;
  /** Runs that it took. */
  readonly runs: number;
}

/** Simplifications of all but the events, each tried once. */
const CALMER: readonly ((plan: Plan) => Plan)[] = [
  (plan) => ({ ...plan, weather: { ...plan.weather, loss: 0 } }),
  (plan) => ({ ...plan, weather: { ...plan.weather, duplicates: 0 } }),
  (plan) => ({ ...plan, lazy: { vote: 0, confirm: 0, stop: 0, late: 0 } }),
  (plan) => ({ ...plan, lazy: { ...plan.lazy, vote: 0 } }),
  (plan) => ({ ...plan, lazy: { ...plan.lazy, confirm: 0 } }),
  (plan) => ({ ...plan, lazy: { ...plan.lazy, stop: 0 } }),
  (plan) => ({ ...plan, lazy: { ...plan.lazy, late: 0 } }),
  (plan) => ({ ...plan, skewMs: plan.skewMs.map(() => 0) }),
  (plan) => ({ ...plan, epochPulses: null }),
  (plan) => ({ ...plan, stormMs: Math.max(1, Math.floor(plan.stormMs / 2)) }),
  (plan) => ({ ...plan, weather: { ...plan.weather, delayMs: [1, 4] } }),
  (plan) => ({ ...plan, liar: null }),
];

/**
 * Shrinks greedily.
 * @param maxRuns bound of the runs that it may take.
 * @throws {RangeError} when nothing breaks in the plan.
 */
export function shrink(first: Plan, rules: Rules, maxRuns = 300): Shrunk {
  const broken = run(first, { rules }).violation;
  if (broken === undefined) throw new RangeError("Cannot shrink: nothing breaks");
  let best: { plan: Plan; violation: Violation } = { plan: first, violation: broken };
  let runs = 1;
  const isWorse = (plan: Plan): boolean => {
    if (runs >= maxRuns) return false;
    runs++;
    const { violation } = run(plan, { rules });
    if (violation?.broken !== broken.broken) return false;
    best = { plan, violation };
    return true;
  };
  for (let again = true; again && runs < maxRuns;) {
    const before = sizeOf(best.plan);
    for (let chunk = best.plan.events.length; chunk >= 1; chunk = Math.floor(chunk / 2)) {
      for (let at = 0; at < best.plan.events.length;) {
        const { events } = best.plan;
        const shorter = [...events.slice(0, at), ...events.slice(at + chunk)];
        if (!isWorse({ ...best.plan, events: shorter })) at += chunk;
      }
    }
    for (const calmer of CALMER) {
      const plan = calmer(best.plan);
      if (JSON.stringify(plan) !== JSON.stringify(best.plan)) isWorse(plan);
    }
    best.plan.events.forEach((event, at) => {
      const smaller = smallerEvent(event);
      if (smaller === undefined) return;
      isWorse({
        ...best.plan,
        events: best.plan.events.map((old, i) => (i === at ? smaller : old)),
      });
    });
    again = sizeOf(best.plan) < before;
  }
  return { ...best, runs };
}

function sizeOf(plan: Plan): number {
  return JSON.stringify(plan).length;
}

function smallerEvent(event: PlanEvent): PlanEvent | undefined {
  if ((event.type === "pay" || event.type === "joint") && event.members > 1) {
    return { ...event, members: 1 };
  }
  if ("at" in event && event.at.length > 1) return { ...event, at: event.at.slice(0, 1) };
  return undefined;
}
