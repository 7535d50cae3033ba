/** Plans with all faults in all combinations, beside ordinary traffic. */
import type { Plan, PlanEvent } from "./plan.ts";
import { HABITS, someValidators, VALIDATORS, WALLETS } from "./plan.ts";
import { Random } from "./random.ts";

/** The plan of a seed. */
export function mixedPlanOf(seed: number): Plan {
  const random = new Random(seed, "plan");
  const stormMs = random.pick([250, 400, 600]);
  const liar = random.chance(0.6) ? random.int(0, VALIDATORS - 1) : null;
  const maxMs = random.pick([8, 20, 40]);
  return {
    seed,
    stormMs,
    stakes: null,
    weather: {
      delayMs: [1, maxMs],
      loss: random.pick([0, 0, 0.03, 0.15]),
      duplicates: random.pick([0, 0.1]),
    },
    skewMs: skews(random, liar),
    lazy: {
      vote: random.pick([0, 0, 0.3, 0.6]),
      confirm: random.pick([0, 0, 0.3, 0.6]),
      stop: random.pick([0, 0, 0.5]),
      late: random.pick([0, 0, 0, 0.3]),
    },
    epochPulses: random.chance(0.3) ? random.int(4, 6) : null,
    liar,
    events: [
      ...traffic(random, stormMs),
      ...faults(random, stormMs, liar),
      ...claims(new Random(seed, "claims"), stormMs),
      ...memory(new Random(seed, "memory"), stormMs),
      ...spawns(new Random(seed, "spawns"), stormMs),
      ...storage(new Random(seed, "storage"), stormMs),
      ...stake(new Random(seed, "stake"), stormMs),
      ...tasks(new Random(seed, "tasks"), stormMs),
    ]
      .sort((a, b) => a.atMs - b.atMs),
  };
}

function skews(random: Random, liar: number | null): number[] {
  const skew = Array.from({ length: VALIDATORS }, () => random.int(-150, 150));
  // More than the two seconds that blocks may be ahead: as if one were gone, so never beside a liar.
  if (liar === null && random.chance(0.05)) skew[random.int(0, VALIDATORS - 1)] = 2200;
  return skew;
}

function traffic(random: Random, stormMs: number): PlanEvent[] {
  const events: PlanEvent[] = [];
  const at = (): number => random.int(1, stormMs);
  const validFor = (): number => random.pick([2, 3, 4, 6, 20, 20, 60]);
  const wallet = (): number => random.int(0, WALLETS.length - 1);
  for (let left = random.int(2, 7); left > 0; left--) {
    events.push({
      type: "pay",
      atMs: at(),
      wallet: wallet(),
      to: wallet(),
      members: random.chance(0.15) ? 3 : 1,
      validFor: validFor(),
      at: someValidators(random),
    });
  }
  for (let left = random.pick([0, 0, 1, 2, 4]); left > 0; left--) {
    events.push({
      type: "rival",
      atMs: at(),
      wallet: WALLETS.length - 1,
      to: wallet(),
      validFor: validFor(),
      at: someValidators(random),
    });
  }
  if (random.chance(0.2)) {
    events.push({ type: "forced", atMs: at(), wallet: wallet(), at: [0, 1, 2, 3] });
  }
  if (random.chance(0.25)) {
    events.push({ type: "agent", atMs: at(), at: someValidators(random) });
  }
  return events;
}

/** A stream of its own: plans without claims are what they were before there were claims. */
function claims(random: Random, stormMs: number): PlanEvent[] {
  if (!random.chance(0.25)) return [];
  const atMs = random.int(1, Math.floor(stormMs / 2));
  return [{ type: "claims", atMs, isFalse: random.chance(0.6), at: someValidators(random) }];
}

/** A stream of its own, likewise. */
function memory(random: Random, stormMs: number): PlanEvent[] {
  if (!random.chance(0.25)) return [];
  return [{ type: "memory", atMs: random.int(1, stormMs), at: someValidators(random) }];
}

/** A stream of its own, likewise. */
function spawns(random: Random, stormMs: number): PlanEvent[] {
  if (!random.chance(0.25)) return [];
  return [{ type: "spawn", atMs: random.int(1, stormMs), at: someValidators(random) }];
}

/** A stream of its own, likewise. */
function storage(random: Random, stormMs: number): PlanEvent[] {
  // Seldom: such a run is long.
  if (!random.chance(0.1)) return [];
  const atMs = random.int(1, Math.floor(stormMs / 2));
  return [{ type: "storage", atMs, misses: random.chance(0.5), at: someValidators(random) }];
}

/** A stream of its own, likewise. */
function stake(random: Random, stormMs: number): PlanEvent[] {
  if (!random.chance(0.25)) return [];
  const atMs = random.int(1, Math.floor(stormMs / 2));
  return [{ type: "stake", atMs, at: someValidators(random) }];
}

/** A stream of its own, likewise. */
function tasks(random: Random, stormMs: number): PlanEvent[] {
  if (!random.chance(0.2)) return [];
  const atMs = random.int(1, Math.floor(stormMs / 4));
  return [{ type: "tasks", atMs, isFalse: random.chance(0.5), at: someValidators(random) }];
}

function faults(random: Random, stormMs: number, liar: number | null): PlanEvent[] {
  const events: PlanEvent[] = [];
  const at = (): number => random.int(1, stormMs);
  const span = (): number => random.int(10, Math.floor(stormMs / 2));
  const honest = [0, 1, 2, 3].filter((validator) => validator !== liar);
  for (let left = random.pick([0, 1, 1, 2, 4]); left > 0; left--) {
    const validator = random.pick(honest);
    events.push({ type: "crash", atMs: at(), validator, forMs: span(), kept: random.next() });
  }
  for (let left = random.pick([0, 0, 1, 2]); left > 0; left--) {
    const alone = random.int(0, VALIDATORS - 1);
    const parts = random.chance(0.5)
      ? [0, 1, 2, 3].map((i) => (i === alone ? 1 : 0))
      : [0, 1, 2, 3].map(() => random.int(0, 1));
    events.push({ type: "cut", atMs: at(), parts, forMs: span() });
  }
  for (let left = random.pick([0, 1, 1, 2]); left > 0; left--) {
    const validator = random.int(0, VALIDATORS - 1);
    events.push({ type: "lag", atMs: at(), validator, byMs: random.int(10, 200), forMs: span() });
  }
  if (random.chance(0.3)) {
    const validator = random.pick(honest);
    const commitMs = random.int(5, 60);
    events.push({ type: "slow-disk", atMs: at(), validator, commitMs, forMs: span() });
  }
  if (random.chance(0.2)) {
    const byMs = random.int(-200, 200);
    events.push({ type: "clock", atMs: at(), validator: random.pick(honest), byMs });
  }
  if (liar === null) return events;
  for (const habit of HABITS) {
    if (!random.chance(0.45)) continue;
    const early = random.chance(0.6);
    const atMs = early ? 1 : at();
    events.push({ type: "habit", atMs, habit, forMs: early ? 100_000 : span() });
  }
  return events;
}
