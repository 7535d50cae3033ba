import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Costed } from "../../../internal/ledger/claims/corruption.ts";
import { corruptionOf, MAX_STEPS } from "../../../internal/ledger/claims/corruption.ts";
import type { Cost } from "../../../internal/ledger/claims/cost.ts";
import { isBelow, lesser, plus } from "../../../internal/ledger/claims/cost.ts";

const IDS = ["a", "b", "c", "d", "e", "f", "g", "h"];

const atom = (id: string, cost: Cost): Costed => ({ kind: "atom", id, cost });
const of = (needed: number, ...parts: Costed[]): Costed => ({ kind: "group", needed, parts });

function holds(formula: Costed, corrupted: ReadonlySet<string>): boolean {
  if (formula.kind === "atom") return corrupted.has(formula.id);
  return formula.parts.filter((part) => holds(part, corrupted)).length >= formula.needed;
}

function costs(formula: Costed): Map<string, Cost> {
  return new Map(
    formula.kind === "atom"
      ? [[formula.id, formula.cost]]
      : formula.parts.flatMap((p) => [...costs(p)]),
  );
}

/** The least cost over every set of atoms that satisfies the formula. */
function bruteForce(formula: Costed): Cost {
  const atoms = [...costs(formula)];
  let least: Cost = "infinite";
  for (let set = 0; set < 2 ** atoms.length; set++) {
    const chosen = atoms.filter((_, at) => (set >> at) & 1);
    if (!holds(formula, new Set(chosen.map(([id]) => id)))) continue;
    least = lesser(least, chosen.map(([, cost]) => cost).reduce(plus, 0n as Cost));
  }
  return least;
}

/** Formulas over eight atoms, which repeat, some of them free or beyond price. */
const formulas: fc.Arbitrary<Costed> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.bigInt(0n, 20n) as fc.Arbitrary<Cost> },
    { weight: 1, arbitrary: fc.constant<Cost>("infinite") },
  ),
  { minLength: IDS.length, maxLength: IDS.length },
).chain((prices) =>
  fc.letrec<{ formula: Costed; atom: Costed; group: Costed }>((tie) => ({
    formula: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie("atom"), tie("group")),
    atom: fc.nat(IDS.length - 1).map((at) => atom(IDS[at] as string, prices[at] as Cost)),
    group: fc.tuple(fc.array(tie("formula"), { minLength: 2, maxLength: 5 }), fc.nat(4))
      .map(([parts, needed]) => of(1 + needed % parts.length, ...parts)),
  })).formula
);

describe("corruptionOf()", () => {
  test("corruptionOf() finds what trying every set of atoms finds [L-183 L-201 L-401]", () => {
    fc.assert(
      fc.property(formulas, (formula) => {
        const least = bruteForce(formula);
        expect(corruptionOf(formula, 1e6)).toEqual({ low: least, high: least, exact: true });
      }),
      { numRuns: 1500 },
    );
  });

  test("corruptionOf() out of steps says an interval that the least cost lies in [L-201]", () => {
    let intervals = 0;
    fc.assert(
      fc.property(formulas, fc.integer({ min: 1, max: 4 }), (formula, steps) => {
        const least = bruteForce(formula);
        const { low, high, exact } = corruptionOf(formula, steps);
        expect(isBelow(least, low)).toBe(false);
        expect(isBelow(high, least)).toBe(false);
        expect(exact).toBe(low === high);
        if (!exact) intervals++;
      }),
      { numRuns: 1500 },
    );
    expect(intervals).toBeGreaterThan(20);
  });

  test("corruptionOf() pays once for an atom that stands in several places", () => {
    const a = atom("a", 5n);
    const shared = of(2, of(1, a, atom("b", 4n)), of(1, a, atom("c", 4n)));
    expect(corruptionOf(shared)).toEqual({ low: 5n, high: 5n, exact: true });
  });

  test("corruptionOf() takes all, any, or so many of a group's parts [L-401]", () => {
    const parts = [atom("a", 5n), atom("b", 3n), atom("c", 9n)];
    expect([3, 1, 2].map((needed) => corruptionOf(of(needed, ...parts)).low)).toEqual([
      17n,
      3n,
      8n,
    ]);
  });

  test("corruptionOf() ends after its steps whatever the formula is [L-201]", () => {
    // A cover of the edges of a graph of 32 atoms in which no few of them stand out.
    const many = Array.from({ length: 32 }, (_, at) => atom(`${at}`, BigInt(1000 + at)));
    const edges = [1, 2, 5].flatMap((step) =>
      many.map((a, at) => of(1, a, many[(at + step) % many.length] as Costed))
    );
    const formula = of(edges.length, ...edges);
    const { low, high, exact } = corruptionOf(formula);
    expect(exact).toBe(false);
    expect(isBelow(low, high)).toBe(true);
    const wider = corruptionOf(formula, MAX_STEPS / 8);
    expect(isBelow(wider.high, high)).toBe(false);
    expect(wider.low).toBe(low);
  });
});
