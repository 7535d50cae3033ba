/**
 * Plans in which a liar is found out, slashed and put out of the committee, in the middle of epochs,
 * delegations, new keys, crashes and everybody's payments: the others go on without it.
 */
import type { Habit, Plan, PlanEvent } from "./plan.ts";
import { someValidators, WALLETS } from "./plan.ts";
import { Random } from "./random.ts";

/** The others keep their places in the committee without it. */
const LIAR = 3;
const HONEST = [0, 1, 2];
const FOREVER_MS = 100_000;
/** What shows, and what does not. */
const SHOWN: readonly Habit[] = ["two-blocks", "vote-all", "wrong-roots"];
const HIDDEN: readonly Habit[] = ["withhold", "no-answers", "last-vote-to-one", "stop-at-will"];

/** The plan of a seed. */
export function slashingPlanOf(seed: number): Plan {
  const random = new Random(seed, "slashing");
  const stormMs = random.int(700, 1200);
  const at = (): number => random.int(1, stormMs);
  const habits = [
    ...random.shuffled([...SHOWN]).slice(0, random.int(1, 2)),
    ...HIDDEN.filter(() => random.chance(0.25)),
  ];
  const events: PlanEvent[] = habits.map((habit): PlanEvent => ({
    type: "habit",
    atMs: random.int(1, stormMs / 2),
    habit,
    forMs: FOREVER_MS,
  }));
  events.push({ type: "report", atMs: at(), at: someValidators(random) });
  for (let left = random.int(3, 8); left > 0; left--) {
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
  for (let left = random.int(1, 3); left > 0; left--) {
    const wallet = WALLETS.length - 1;
    const to = random.int(0, WALLETS.length - 1);
    events.push({
      type: "rival",
      atMs: at(),
      wallet,
      to,
      validFor: 60,
      at: someValidators(random),
    });
  }
  if (random.chance(0.5)) {
    events.push({ type: "stake", atMs: random.int(1, 300), at: someValidators(random) });
  }
  if (random.chance(0.3)) {
    const validator = random.pick(HONEST);
    events.push({ type: "rotate", atMs: at(), validator, lost: false, at: someValidators(random) });
  }
  if (random.chance(0.4)) {
    const [validator, forMs] = [random.pick(HONEST), random.int(20, 200)];
    events.push({ type: "crash", atMs: at(), validator, forMs, kept: random.next() });
  }
  return {
    seed,
    stormMs,
    weather: {
      delayMs: [1, random.pick([4, 12, 25])],
      loss: random.pick([0, 0, 0.02]),
      duplicates: 0,
    },
    skewMs: [0, 0, 0, 0],
    lazy: { vote: 0, confirm: 0, stop: 0, late: 0 },
    epochPulses: random.chance(0.7) ? random.int(4, 10) : null,
    stakes: Array.from({ length: HONEST.length + 1 }, () => random.int(90_000, 120_000)),
    liar: LIAR,
    events: events.sort((a, b) => a.atMs - b.atMs),
  };
}
