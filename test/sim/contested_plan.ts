/**
 * Plans about lanes: owners who sign two units for a slot, units that expire soon, validators that hear
 * of things late, and most often a liar.
 */
import type { Habit, Plan, PlanEvent } from "./plan.ts";
import { someValidators, VALIDATORS, WALLETS } from "./plan.ts";
import { Random } from "./random.ts";

/**
 * - `split`: two units for a slot at once, at two validators each;
 * - `chained`: a unit that expires soon, and right behind it the next slot's;
 * - `shunned`: what one honest validator says comes rounds too late;
 * - `any`: whatever comes.
 */
type Flavour = "split" | "chained" | "shunned" | "any";

/** Ways of a liar that matter to lanes. */
const LANE_HABITS: readonly Habit[] = [
  "two-blocks",
  "vote-all",
  "stop-at-will",
  "withhold",
  "no-answers",
];
/** The owner that signs two units for a slot. */
const DISHONEST = WALLETS.length - 1;
const FOREVER_MS = 100_000;

/** The plan of a seed. */
export function contestedPlanOf(seed: number): Plan {
  const random = new Random(seed, "contested");
  const flavour = random.pick<Flavour>(["split", "chained", "shunned", "any"]);
  const stormMs = random.int(250, 450);
  const isShunned = flavour === "shunned";
  const isDirected = isShunned || flavour === "chained";
  const liar = isDirected || random.chance(flavour === "split" ? 0.5 : 0.8)
    ? random.int(0, VALIDATORS - 1)
    : null;
  const honest = [0, 1, 2, 3].filter((validator) => validator !== liar);
  const habits = liar === null
    ? []
    : LANE_HABITS.filter((habit) =>
      (isDirected && habit !== "stop-at-will" && habit !== "no-answers") || random.chance(0.5)
    );
  return {
    seed,
    stormMs,
    stakes: null,
    weather: {
      delayMs: [1, isDirected ? 5 : random.pick([4, 10, 25])],
      loss: isDirected ? 0 : random.pick([0, 0, 0.1]),
      duplicates: 0,
    },
    skewMs: [0, 0, 0, 0],
    lazy: {
      vote: flavour === "chained" ? 0.2 : random.pick([0, 0.4, 0.7]),
      confirm: flavour === "chained" ? 0 : random.pick([0, 0.3, 0.7]),
      stop: random.pick([0, 0, 0.4]),
      late: flavour === "chained" ? 0.5 : random.pick([0, 0, 0.5, 0.9]),
    },
    epochPulses: random.chance(0.25) ? random.int(4, 5) : null,
    liar,
    events: [
      ...units(random, flavour, stormMs),
      ...lags(random, flavour, stormMs, honest),
      ...habits.map((habit) => ({ type: "habit" as const, atMs: 1, habit, forMs: FOREVER_MS })),
    ].sort((a, b) => a.atMs - b.atMs),
  };
}

/** The same about units of two accounts, of which one signs another unit for one of its slots. */
export function jointPlanOf(seed: number): Plan {
  const plan = contestedPlanOf(seed);
  const { stormMs } = plan;
  const random = new Random(seed, "joint");
  const validFor = (): number => random.pick([2, 3, 4, 8, 20]);
  const pocket = (): { readonly pocket?: true } => random.chance(0.5) ? { pocket: true } : {};
  const unit = (atMs: number, at: readonly number[]) => (
    { atMs, wallet: DISHONEST, to: random.int(0, 2), validFor: validFor(), at }
  );
  const joint = (atMs: number, at: readonly number[]): PlanEvent => (
    { type: "joint", ...unit(atMs, at), members: random.pick([1, 1, 2]) }
  );
  const firstMs = random.int(1, 60);
  const [a = 0, b = 1, c = 2, d = 3] = random.shuffled([0, 1, 2, 3]);
  const isSplit = random.chance(0.5);
  const events: PlanEvent[] = [joint(firstMs, isSplit ? [a, b] : [0, 1, 2, 3])];
  if (random.chance(0.8)) {
    const atMs = firstMs + random.int(0, isSplit ? 10 : stormMs / 2);
    events.push({ type: "rival", ...pocket(), ...unit(atMs, isSplit ? [c, d] : [a, c]) });
  }
  for (let left = random.int(1, 3); left > 0; left--) {
    const atMs = random.int(60, stormMs);
    const at = someValidators(random);
    events.push(
      random.chance(0.4)
        ? joint(atMs, at)
        : { type: "pay", ...pocket(), ...unit(atMs, at), members: 1 },
    );
  }
  const others = plan.events.filter(({ type }) => type !== "pay" && type !== "rival");
  return { ...plan, events: [...others, ...events].sort((x, y) => x.atMs - y.atMs) };
}

function units(random: Random, flavour: Flavour, stormMs: number): PlanEvent[] {
  const isLong = flavour === "shunned" || (flavour !== "chained" && random.chance(0.4));
  const validFor = (): number => isLong ? random.pick([8, 200, 200]) : random.pick([2, 3, 3, 4, 5]);
  const unit = (atMs: number, to: number, at: readonly number[]) => (
    { atMs, wallet: DISHONEST, to, members: 1, validFor: validFor(), at }
  );
  const firstMs = random.int(1, 60);
  const events: PlanEvent[] = [];
  if (flavour === "split") {
    const [a = 0, b = 1, c = 2, d = 3] = random.shuffled([0, 1, 2, 3]);
    events.push({ type: "pay", ...unit(firstMs, 0, [a, b]) });
    events.push({ type: "rival", ...unit(firstMs + random.int(0, 10), 1, [c, d]) });
  } else events.push({ type: "pay", ...unit(firstMs, 0, someValidators(random)) });
  if (flavour === "chained") {
    const atMs = firstMs + random.int(0, 50);
    const next = unit(atMs, 2, [0, 1, 2, 3]);
    const validFor = (events[0]?.type === "pay" ? events[0].validFor : 3) + random.int(0, 2);
    events.push({ type: "pay", ...next, validFor });
  }
  for (let left = random.int(0, 2); left > 0; left--) {
    const atMs = random.int(5, stormMs);
    events.push({ type: "rival", ...unit(atMs, 1, someValidators(random)) });
  }
  if (random.chance(0.5)) {
    const atMs = random.int(60, stormMs);
    events.push({ type: "pay", ...unit(atMs, 2, someValidators(random)) });
  }
  return events;
}

function lags(
  random: Random,
  flavour: Flavour,
  stormMs: number,
  honest: readonly number[],
): PlanEvent[] {
  if (flavour === "shunned") {
    const forMs = random.int(100, stormMs);
    const byMs = random.int(70, 220);
    return [{ type: "lag", atMs: random.int(1, 60), validator: random.pick(honest), byMs, forMs }];
  }
  if (flavour === "chained") {
    const [forMs, byMs] = [random.int(30, stormMs), random.int(5, 60)];
    return [{ type: "lag", atMs: random.int(1, 60), validator: random.pick(honest), byMs, forMs }];
  }
  return Array.from({ length: random.int(1, 3) }, () => ({
    type: "lag" as const,
    atMs: random.int(1, stormMs),
    validator: random.pick(honest),
    byMs: random.int(10, 150),
    forMs: random.int(40, stormMs),
  }));
}
