/**
 * The least cost of making a formula's claim false, by a search of counted steps. docs/protocol/claims.md,
 * Cost of corruption.
 */

/** A formula over numbered atoms: an atom's number, or a group of which so many parts are needed. */
export type Structure =
  | number
  | { readonly needed: number; readonly parts: readonly Structure[] };

/** What no money corrupts, micro-USD: so much that no part of it is less than what a task can require. */
export const INFINITE: bigint = 2n ** 128n;

function plus(a: bigint, b: bigint): bigint {
  return a + b < INFINITE ? a + b : INFINITE;
}

/** The cost of a structure whose atoms cost what is said: of a group the least parts that are needed. */
function costOf(structure: Structure, atom: (number: number) => bigint): bigint {
  if (typeof structure === "number") return atom(structure);
  const costs = structure.parts.map((part) => costOf(part, atom));
  const ascending = costs.sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
  return ascending.slice(0, structure.needed).reduce(plus, 0n);
}

/** How often each atom stands, by its number. */
function placesOf(structure: Structure, atoms: number): number[] {
  const places = new Array<number>(atoms).fill(0);
  const count = (part: Structure): void => {
    if (typeof part === "number") places[part] = (places[part] ?? 0) + 1;
    else part.parts.forEach(count);
  };
  count(structure);
  return places;
}

/**
 * The least total cost of atoms that together satisfy a structure, or what it surely is not below where
 * the search is cut off.
 * @param costs of the atoms, which are numbered in the order in which they first stand.
 * @param limit choices that the search visits at most, at least 1.
 */
export function costOfCorruption(
  structure: Structure,
  costs: readonly bigint[],
  limit: number,
): bigint {
  const places = placesOf(structure, costs.length);
  const full = (at: number): bigint => costs[at] ?? 0n;
  const repeated = [...costs.keys()].filter((at) =>
    (places[at] ?? 0) > 1 && full(at) > 0n && full(at) < INFINITE
  );
  const divided = costs.map((cost, at) =>
    repeated.includes(at) ? cost / BigInt(places[at] ?? 1) : cost
  );
  /** What is decided of the first of the repeated atoms: whether each is chosen. */
  const evaluate = (decided: readonly boolean[], cost: (at: number) => bigint): bigint => {
    const known = new Map(decided.map((isChosen, i) => [repeated[i], isChosen ? 0n : INFINITE]));
    const paid = repeated.filter((_, i) => decided[i]).map(full).reduce(plus, 0n);
    return plus(paid, costOf(structure, (at) => known.get(at) ?? cost(at)));
  };
  let best = INFINITE;
  let steps = limit;
  let isCutOff = false;
  const visit = (decided: readonly boolean[]): void => {
    if (steps === 0) {
      isCutOff = true;
      return;
    }
    steps--;
    const high = evaluate(decided, full);
    const low = evaluate(decided, (at) => divided[at] ?? 0n);
    if (high < best) best = high;
    if (low >= best || decided.length === repeated.length) return;
    for (const isChosen of [true, false]) visit([...decided, isChosen]);
  };
  visit([]);
  return isCutOff ? evaluate([], (at) => divided[at] ?? 0n) : best;
}
