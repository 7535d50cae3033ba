/**
 * Plans about a validator that is away for longer than the others keep blocks: it comes back by a
 * snapshot, of which a liar among those it asks sends what is not true.
 */
import type { Plan, PlanEvent } from "./plan.ts";
import { someValidators, VALIDATORS, WALLETS } from "./plan.ts";
import { Random } from "./random.ts";

/** Between two payments, ms: they keep rounds as short as they can be. */
const EVERY_MS = 60;
/** Rounds go by in some 10 to 20 ms; 256 of them are kept in any case. */
const AWAY_MS = 9_000;
/** Time to come back in, ms. */
const BACK_MS = 2_500;
const FOREVER_MS = 100_000;

/** The plan of a seed. */
export function awayPlanOf(seed: number): Plan {
  const random = new Random(seed, "away");
  const away = random.int(0, VALIDATORS - 1);
  const others = [0, 1, 2, 3].filter((validator) => validator !== away);
  // With one validator away nobody else may be silent: a liar takes part in everything else.
  const liar = random.chance(0.6) ? random.pick(others) : null;
  const stormMs = AWAY_MS + BACK_MS;
  const events: PlanEvent[] = [
    {
      type: "crash",
      atMs: random.int(50, 400),
      validator: away,
      forMs: AWAY_MS,
      kept: random.next(),
    },
  ];
  for (let atMs = 1; atMs < stormMs; atMs += EVERY_MS) {
    const wallet = random.int(0, WALLETS.length - 2);
    const to = random.int(0, WALLETS.length - 1);
    events.push({
      type: "pay",
      atMs,
      wallet,
      to,
      members: 1,
      validFor: 60,
      at: someValidators(random),
    });
  }
  // A crash in the middle of what it takes.
  if (random.chance(0.5)) {
    const atMs = AWAY_MS + random.int(400, 1_200);
    events.push({ type: "crash", atMs, validator: away, forMs: 50, kept: random.next() });
  }
  if (liar !== null) {
    events.push({ type: "habit", atMs: 1, habit: "false-snapshots", forMs: FOREVER_MS });
  }
  return {
    seed,
    stormMs,
    weather: { delayMs: [1, random.pick([3, 6])], loss: random.pick([0, 0, 0.02]), duplicates: 0 },
    skewMs: [0, 0, 0, 0],
    lazy: { vote: 0, confirm: 0, stop: 0, late: 0 },
    epochPulses: random.chance(0.4) ? random.int(8, 20) : null,
    keptRounds: 0,
    stakes: null,
    liar,
    events: events.sort((a, b) => a.atMs - b.atMs),
  };
}
