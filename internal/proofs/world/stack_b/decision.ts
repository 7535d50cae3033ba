/** Whether what a claim rests on is worth what is at stake for its reader. docs/protocol/claims.md, The decision rule. */
import { freeOf, stakeOf, statusOf, withoutLapsed } from "./claims.ts";
import type { Context } from "./context.ts";
import type { Structure } from "./corruption.ts";
import { costOfCorruption, INFINITE } from "./corruption.ts";
import { usd } from "./failure.ts";
import type { Atom, BondName, Formula } from "./formula.ts";
import { atomId, bondId } from "./formula.ts";
import type { Claim } from "./objects.ts";

/** Millionths in one. */
const MILLION = 1_000_000n;
/** Thousandths: every time. */
const ALWAYS = 1000;
/** Steps of a search when a task is settled. */
const STEPS = 32;
/** What a claim on the basis of execution rests on. */
const EXECUTION = "ledger:execution";

/** A claim with the active claims that it rests on put in their places. */
interface Opened {
  readonly structure: Structure;
  /** In the order in which they first stand, each once. */
  readonly atoms: readonly Atom[];
  /** The least of all these claims, thousandths. */
  readonly detection: number;
  /** Of all these claims. */
  readonly adjudicators: readonly BondName[];
}

function openClaim(context: Context, claim: Claim): Opened {
  const atoms: Atom[] = [];
  const numbers = new Map<string, number>();
  const adjudicators: BondName[] = [];
  let detection = ALWAYS;
  const ofAtom = (atom: Atom): number => {
    const id = atomId(atom);
    const number = numbers.get(id) ?? atoms.length;
    if (number === atoms.length) atoms.push(atom);
    numbers.set(id, number);
    return number;
  };
  const ofClaim = ({ basis }: Claim): Structure => {
    if (basis.kind === "execution") {
      return ofAtom({ kind: "assumption", body: { name: EXECUTION } });
    }
    const { formula, adjudicator } = basis.body;
    detection = Math.min(detection, basis.body.detection);
    if (adjudicator !== null) adjudicators.push(adjudicator);
    return ofFormula(formula);
  };
  const ofFormula = (formula: Formula): Structure => {
    if (formula.kind === "group") {
      const { needed, parts } = formula.body;
      return { needed, parts: parts.map(ofFormula) };
    }
    const atom = formula.body;
    const below = atom.kind === "claim" ? context.find("claim", atom.body.claim) : null;
    const isOpen = below !== null && statusOf(below, context.pulse) === "active";
    return isOpen ? ofClaim(below) : ofAtom(atom);
  };
  const structure = ofClaim(claim);
  return { structure, atoms, detection, adjudicators };
}

/** What corrupting an atom costs, and what of that is free. */
interface Cost {
  readonly cost: bigint;
  readonly free: bigint;
}

function costOfBond(context: Context, name: BondName): Cost {
  const found = context.find("bond", bondId(name));
  if (found === null) return { cost: 0n, free: 0n };
  const bond = withoutLapsed(found, context.pulse);
  return { cost: stakeOf(bond), free: freeOf(bond) };
}

function costOfAtom(context: Context, atom: Atom): Cost {
  if (atom.kind === "bond" || atom.kind === "adjudicator") return costOfBond(context, atom.body);
  const isInfinite = atom.kind === "signature" ||
    atom.kind === "assumption" && atom.body.name === EXECUTION;
  const cost = isInfinite ? INFINITE : 0n;
  return { cost, free: cost };
}

/** What has to be at stake for a reader: κ·V, rounded up. */
export function requiredFor(value: bigint, kappa: bigint): bigint {
  return (value * kappa + MILLION - 1n) / MILLION;
}

/**
 * The first reason against relying on a claim, or null where there is none.
 * @param required micro-USD, of a reader who distrusts nothing.
 */
export function reasonAgainst(context: Context, claim: Claim, required: bigint): string | null {
  const { structure, atoms, detection, adjudicators } = openClaim(context, claim);
  const costs = atoms.map((atom) => costOfAtom(context, atom));
  const coc = costOfCorruption(structure, costs.map(({ cost }) => cost), STEPS);
  const reservable = costOfCorruption(structure, costs.map(({ free }) => free), STEPS);
  const adjusted = BigInt(detection) * coc / BigInt(ALWAYS);
  const caps = adjudicators.map((name) => costOfBond(context, name).cost);
  const cap = caps.reduce((least, one) => one < least ? one : least, INFINITE);
  const status = statusOf(claim, context.pulse);
  if (status !== "active") return `the claim is ${status}`;
  const needed = usd(required);
  if (adjusted < required) {
    const discount = `after detection discount ${detection}/${ALWAYS}`;
    return `cost of corruption ${usd(adjusted)} (${discount}) is below κ·V = ${needed}`;
  }
  if (cap < required) {
    return `the adjudicator's cost of corruption ${usd(cap)} is below κ·V = ${needed}`;
  }
  if (reservable >= required) return null;
  return `only ${usd(reservable)} of backing is unreserved; κ·V = ${needed} is needed`;
}
