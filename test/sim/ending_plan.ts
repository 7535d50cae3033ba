/**
 * Plans about the ends of sessions: short ones, and a liar that says its vote for each last Pulse to one
 * validator alone, which then has a quorum of votes that nobody else has.
 */
import type { Plan, PlanEvent } from "./plan.ts";
import { someValidators, VALIDATORS, WALLETS } from "./plan.ts";
import { Random } from "./random.ts";

/** Time for several sessions, ms. */
const STORM_MS = [500, 900] as const;
const FOREVER_MS = 100_000;

/** The plan of a seed. */
export function endingPlanOf(seed: number): Plan {
  const random = new Random(seed, "ending");
  const liar = random.int(0, VALIDATORS - 1);
  const honest = [0, 1, 2, 3].filter((validator) => validator !== liar);
  const stormMs = random.int(...STORM_MS);
  const at = (): number => random.int(1, stormMs);
  const events: PlanEvent[] = [
    { type: "habit", atMs: 1, habit: "last-vote-to-one", forMs: FOREVER_MS },
  ];
  if (random.chance(0.5)) {
    events.push({ type: "habit", atMs: 1, habit: "close-to-one", forMs: FOREVER_MS });
  }
  if (random.chance(0.3)) {
    events.push({ type: "habit", atMs: at(), habit: "stay-behind", forMs: FOREVER_MS });
  }
  for (const habit of ["withhold", "no-answers", "two-blocks"] as const) {
    if (random.chance(0.3)) events.push({ type: "habit", atMs: at(), habit, forMs: FOREVER_MS });
  }
  for (let left = random.int(2, 6); left > 0; left--) {
    events.push({
      type: "pay",
      atMs: at(),
      wallet: random.int(0, WALLETS.length - 1),
      to: random.int(0, WALLETS.length - 1),
      members: 1,
      validFor: 60,
      at: someValidators(random),
    });
  }
  // Who is slow to say its own vote may have a quorum of others' before.
  for (const validator of honest) {
    if (!random.chance(0.5)) continue;
    const commitMs = random.int(5, 40);
    events.push({ type: "slow-disk", atMs: 1, validator, commitMs, forMs: FOREVER_MS });
  }
  if (random.chance(0.3)) {
    const validator = random.pick(honest);
    const forMs = random.int(20, 200);
    events.push({ type: "crash", atMs: at(), validator, forMs, kept: random.next() });
  }
  return {
    seed,
    stormMs,
    weather: {
      delayMs: [1, random.pick([4, 12, 30])],
      loss: random.pick([0, 0, 0.03]),
      duplicates: 0,
    },
    skewMs: [0, 0, 0, 0],
    lazy: { vote: 0, confirm: 0, stop: 0, late: 0 },
    epochPulses: random.int(4, 6),
    stakes: null,
    liar,
    events: events.sort((a, b) => a.atMs - b.atMs),
  };
}
