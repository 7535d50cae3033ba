/**
 * The cost of corruption: the least total cost of atoms whose corruption satisfies a formula. An atom
 * that stands in several places is paid for once, which makes the question hard; so the search is by
 * branch and bound over such atoms, within a counted number of steps that is the same everywhere.
 */
import type { Cost } from "./cost.ts";
import { isBelow, lesser, plus, shareOf } from "./cost.ts";

/** Steps of the search: assignments looked at. Beyond them the answer is an interval. */
export const MAX_STEPS = 1024;

/** A formula whose atoms have costs. Atoms of one id are one atom, and cost the same. */
export type Costed =
  | { readonly kind: "atom"; readonly id: string; readonly cost: Cost }
  | { readonly kind: "group"; readonly needed: number; readonly parts: readonly Costed[] };

/** The least cost, or the interval that it lies in. */
export interface Corruption {
  readonly low: Cost;
  readonly high: Cost;
  /** Whether `low` and `high` are the one least cost. */
  readonly exact: boolean;
}

/** Atoms that were decided on: corrupted and paid for (true), or left alone (false). */
type Choice = ReadonlyMap<string, boolean>;

/** An atom that costs something finite and stands in several places. */
interface Repeated {
  readonly id: string;
  readonly cost: bigint;
  readonly places: number;
}

/** See {@link Corruption}. @param maxSteps at least 1. @default {@link MAX_STEPS} */
export function corruptionOf(formula: Costed, maxSteps: number = MAX_STEPS): Corruption {
  const search = new Search(formula, maxSteps);
  return search.run();
}

class Search {
  readonly #formula: Costed;
  readonly #repeated: readonly Repeated[];
  readonly #places: ReadonlyMap<string, number>;
  #left: number;
  #best: Cost = "infinite";

  constructor(formula: Costed, maxSteps: number) {
    this.#formula = formula;
    this.#left = maxSteps;
    const repeated = repeatedAtoms(formula);
    this.#repeated = repeated;
    this.#places = new Map(repeated.map(({ id, places }) => [id, places]));
  }

  run(): Corruption {
    const low = this.#bounds(new Map(), 0n).low;
    const isComplete = this.#visit(0, new Map(), 0n);
    const high = this.#best;
    if (isComplete || low === high) return { low: high, high, exact: true };
    return { low, high, exact: false };
  }

  /** Looks at a choice and, unless it cannot be better, at those with one more atom decided. */
  #visit(next: number, choice: Choice, paid: bigint): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    const { low, high } = this.#bounds(choice, paid);
    this.#best = lesser(this.#best, high);
    if (!isBelow(low, this.#best)) return true;
    const atom = this.#repeated[next];
    // With nothing left to decide, both bounds are the cost itself.
    if (atom === undefined) return true;
    const { id, cost } = atom;
    return this.#visit(next + 1, new Map(choice).set(id, true), paid + cost) &&
      this.#visit(next + 1, new Map(choice).set(id, false), paid);
  }

  /**
   * Between which costs all completions of a choice have their least. Above: each place of an
   * undecided atom paid for. Below: each place at its share, as whoever uses the atom pays for all.
   */
  #bounds(choice: Choice, paid: bigint): { low: Cost; high: Cost } {
    const undecided = (cost: (atom: Costed & { kind: "atom" }) => Cost) =>
      plus(
        paid,
        leastCost(this.#formula, (atom) => {
          const isChosen = choice.get(atom.id);
          if (isChosen === undefined) return cost(atom);
          return isChosen ? 0n : "infinite";
        }),
      );
    return {
      low: undecided(({ id, cost }) => shareOf(cost, this.#places.get(id) ?? 1)),
      high: undecided(({ cost }) => cost),
    };
  }
}

/** The least cost if every place of an atom is paid for by itself. */
function leastCost(formula: Costed, costOf: (atom: Costed & { kind: "atom" }) => Cost): Cost {
  if (formula.kind === "atom") return costOf(formula);
  return formula.parts
    .map((part) => leastCost(part, costOf))
    .sort((a, b) => isBelow(a, b) ? -1 : isBelow(b, a) ? 1 : 0)
    .slice(0, formula.needed)
    .reduce(plus, 0n);
}

/** Atoms in several places that cost more than nothing and less than everything, as they first stand. */
function repeatedAtoms(formula: Costed): readonly Repeated[] {
  const found = new Map<string, { cost: Cost; places: number }>();
  const count = (part: Costed): void => {
    if (part.kind === "group") return part.parts.forEach(count);
    const places = (found.get(part.id)?.places ?? 0) + 1;
    found.set(part.id, { cost: part.cost, places });
  };
  count(formula);
  return [...found].flatMap(([id, { cost, places }]) =>
    places > 1 && cost !== "infinite" && cost > 0n ? [{ id, cost, places }] : []
  );
}
