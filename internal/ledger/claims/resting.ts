/**
 * What a claim rests on, down to the last atom: its own formula with those of the claims it rests on
 * in their place, each atom with its cost at a moment and to a reader who trusts some atoms.
 */
import { FULL_DETECTION } from "#internal/core/mod.ts";
import type { LedgerObject, ObjectKind } from "../object_kind.ts";
import type { Bond } from "../objects/bond.ts";
import { bondKind, freeOf, stakeOf } from "../objects/bond.ts";
import type { Claim } from "../objects/claim.ts";
import { adjudicatorOf, claimKind, claimStatus, formulaOf } from "../objects/claim.ts";
import type { Atom } from "./atom.ts";
import { atomId, isTrustedByAll, namedBy } from "./atom.ts";
import type { Cost } from "./cost.ts";
import { lesser } from "./cost.ts";
import type { Costed } from "./corruption.ts";
import type { Formula } from "./formula.ts";

/** The state, as far as claims rest on it. */
export interface TrustReader {
  /** The claim of an id; undefined when there is none. */
  claim(id: string): Claim | undefined;
  /** The bond of an id; undefined when there is none. */
  bond(id: string): Bond | undefined;
}

/** Reads claims and bonds of any objects by their ids. */
export function trustReader(read: (id: string) => LedgerObject | undefined): TrustReader {
  const valueOf = <V>(kind: ObjectKind<V>, id: string): V | undefined => {
    const object = read(id);
    return object?.kind === kind.name ? object.value as V : undefined;
  };
  return { claim: (id) => valueOf(claimKind, id), bond: (id) => valueOf(bondKind, id) };
}

/** Whose eyes a claim is looked at with. */
export interface Trust {
  readonly pulse: bigint;
  /** Ids of atoms that this reader does not trust, though others do. */
  readonly distrusted: ReadonlySet<string>;
}

/** An atom that a claim rests on, and what it costs to corrupt. */
export interface RestingAtom {
  readonly id: string;
  readonly atom: Atom;
  /** Whether it is taken to hold whatever the price. */
  readonly isTrusted: boolean;
  /** Micro-USD of the bond behind it; null for an atom that has none. */
  readonly bond: bigint | null;
  readonly cost: Cost;
  /** The part of the cost that is reserved for nobody. */
  readonly free: Cost;
}

/** All that a claim rests on. */
export interface Resting {
  /** The whole formula, at full costs and at what is free of them. */
  readonly whole: Costed;
  readonly free: Costed;
  /** Each once, as they first stand, the adjudicators last. */
  readonly atoms: readonly RestingAtom[];
  /** Thousandths: the least of the claim's and of those it rests on. */
  readonly detection: number;
  /** What the cheapest adjudicator of them costs; infinite where none is named. */
  readonly adjudicator: Cost;
}

/** See {@link Resting}. A claim below that is no longer active costs nothing to corrupt. */
export function restingOf(reader: TrustReader, claim: Claim, trust: Trust): Resting {
  return new Expansion(reader, trust).expand(claim);
}

class Expansion {
  readonly #reader: TrustReader;
  readonly #trust: Trust;
  readonly #atoms = new Map<string, RestingAtom>();
  readonly #judges = new Map<string, RestingAtom>();
  #detection = FULL_DETECTION;

  constructor(reader: TrustReader, trust: Trust) {
    this.#reader = reader;
    this.#trust = trust;
  }

  expand(claim: Claim): Resting {
    const whole = this.#claim(claim);
    const judges = [...this.#judges].filter(([id]) => !this.#atoms.has(id));
    return {
      whole,
      free: this.#free(whole),
      atoms: [...this.#atoms.values(), ...judges.map(([, judge]) => judge)],
      detection: this.#detection,
      adjudicator: [...this.#judges.values()].map(({ cost }) => cost).reduce(lesser, "infinite"),
    };
  }

  #claim(claim: Claim): Costed {
    if (claim.basis.kind === "trust") {
      this.#detection = Math.min(this.#detection, claim.basis.body.detection);
    }
    const judge = adjudicatorOf(claim);
    if (judge) {
      const atom: Atom = { kind: "adjudicator", body: judge };
      this.#judges.set(atomId(atom), this.#weigh(atomId(atom), atom));
    }
    return this.#formula(formulaOf(claim));
  }

  #formula(formula: Formula): Costed {
    if (formula.kind === "group") {
      const parts = formula.parts.map((part) => this.#formula(part));
      return { kind: "group", needed: formula.needed, parts };
    }
    const { atom } = formula;
    const named = namedBy(atom);
    if (named?.role === "claim") {
      const below = this.#reader.claim(named.id);
      if (below && claimStatus(below, this.#trust) === "Active") return this.#claim(below);
    }
    const id = atomId(atom);
    const known = this.#atoms.get(id) ?? this.#weigh(id, atom);
    this.#atoms.set(id, known);
    return { kind: "atom", id, cost: known.cost };
  }

  #weigh(id: string, atom: Atom): RestingAtom {
    const isTrusted = isTrustedByAll(atom) && !this.#trust.distrusted.has(id);
    if (isTrusted) {
      return { id, atom, isTrusted, bond: null, cost: "infinite", free: "infinite" };
    }
    const named = namedBy(atom);
    if (named === undefined || named.role === "claim") {
      return { id, atom, isTrusted, bond: null, cost: 0n, free: 0n };
    }
    const bond = this.#reader.bond(named.id);
    const cost = bond ? stakeOf(bond) : 0n;
    const free = bond ? freeOf(bond, this.#trust.pulse) : 0n;
    return { id, atom, isTrusted, bond: cost, cost, free };
  }

  #free(formula: Costed): Costed {
    if (formula.kind === "group") {
      return { ...formula, parts: formula.parts.map((part) => this.#free(part)) };
    }
    return { ...formula, cost: this.#atoms.get(formula.id)?.free ?? 0n };
  }
}
