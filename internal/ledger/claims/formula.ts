/**
 * Trust formulas: what a claim rests on, as groups of atoms and groups. Who would make the claim
 * false has to corrupt `needed` parts of a group: all of them, any one, or so many of n.
 */
import type { Codec } from "#internal/core/mod.ts";
import { encode, equalBytes, list, u8 } from "#internal/core/mod.ts";
import { undecodable } from "../errors.ts";
import type { Say } from "../sentences.ts";
import type { Atom, NamedObject } from "./atom.ts";
import {
  atomCodec,
  atomFault,
  atomText,
  isStateless,
  namedBy,
  SIGNATURE_FAMILIES,
} from "./atom.ts";

/** Parts that a group can have. */
const MAX_PARTS = 32;
/** Groups that can stand within each other. */
const MAX_GROUP_DEPTH = 4;
/** Atoms that a formula can name, repeated ones counted each time. */
const MAX_ATOMS = 32;
/** Different bonds that a formula can name. */
const MAX_BONDS = 8;

/** An atom, or a group of which `needed` parts have to be corrupted. */
export type Formula =
  | { readonly kind: "atom"; readonly atom: Atom }
  | { readonly kind: "group"; readonly needed: number; readonly parts: readonly Formula[] };

const TAG = { atom: 0, group: 1 } as const;

/** The encoding of formulas. Groups deeper than any formula's are undecodable. */
export const formulaCodec: Codec<Formula> = codecAt(0);

function codecAt(depth: number): Codec<Formula> {
  const parts = (): Codec<readonly Formula[]> => list(codecAt(depth + 1), MAX_PARTS);
  return {
    write(to, formula) {
      to.uleb(TAG[formula.kind]);
      if (formula.kind === "atom") return atomCodec.write(to, formula.atom);
      u8.write(to, formula.needed);
      parts().write(to, formula.parts);
    },
    read(from) {
      const tag = from.uleb();
      if (tag === TAG.atom) return { kind: "atom", atom: atomCodec.read(from) };
      if (tag !== TAG.group) return undecodable(`${tag} is no part of a formula`);
      if (depth === MAX_GROUP_DEPTH) return undecodable("a formula is nested too deeply");
      return { kind: "group", needed: from.u8(), parts: parts().read(from) };
    },
  };
}

/** A formula of one atom. */
export function atomFormula(atom: Atom): Formula {
  return { kind: "atom", atom };
}

/** The parts, all of which must be corrupted. */
export function allOf(...parts: readonly Formula[]): Formula {
  return { kind: "group", needed: parts.length, parts };
}

/** The parts, any of which is enough to corrupt. */
export function anyOf(...parts: readonly Formula[]): Formula {
  return { kind: "group", needed: 1, parts };
}

/** A dual signature: both families must fall. */
export const DUAL_SIGNATURE: Formula = allOf(
  ...SIGNATURE_FAMILIES.map((_, family) => atomFormula({ kind: "signature", body: { family } })),
);

/** Whether two formulas are one and the same, part by part. */
export function isSameFormula(a: Formula, b: Formula): boolean {
  return equalBytes(encode(formulaCodec, a), encode(formulaCodec, b));
}

/** The atoms from left to right, repeated ones each time. */
export function atomsOf(formula: Formula): readonly Atom[] {
  return formula.kind === "atom" ? [formula.atom] : formula.parts.flatMap(atomsOf);
}

/** The ids that the atoms name in a role, each once, as they first stand. */
export function idsNamed(formula: Formula, role: NamedObject["role"]): readonly string[] {
  const named = atomsOf(formula).map(namedBy).filter((one) => one?.role === role);
  return [...new Set(named.flatMap((one) => one?.id ?? []))];
}

/** Whether a claim can rest on it whatever the state of the ledger: on signatures alone. */
export function isStatelessFormula(formula: Formula): boolean {
  return atomsOf(formula).every(isStateless);
}

/** The fault of a formula that no claim can have, else undefined. */
export function formulaFault(formula: Formula): string | undefined {
  const atoms = atomsOf(formula);
  if (atoms.length > MAX_ATOMS) return `a formula names at most ${MAX_ATOMS} atoms`;
  for (const atom of atoms) {
    const fault = atomFault(atom);
    if (fault !== undefined) return fault;
  }
  if (idsNamed(formula, "bond").length > MAX_BONDS) {
    return `a formula names at most ${MAX_BONDS} bonds`;
  }
  return groupFault(formula, 0);
}

function groupFault(formula: Formula, depth: number): string | undefined {
  if (formula.kind === "atom") return undefined;
  const { needed, parts } = formula;
  if (depth === MAX_GROUP_DEPTH) return `groups stand at most ${MAX_GROUP_DEPTH} deep`;
  if (parts.length < 2 || parts.length > MAX_PARTS) {
    return `a group has 2 to ${MAX_PARTS} parts`;
  }
  if (!Number.isInteger(needed) || needed < 1 || needed > parts.length) {
    return `of ${parts.length} parts ${needed} cannot be needed`;
  }
  for (const part of parts) {
    const fault = groupFault(part, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A formula as words: `any of (all of (ml-dsa-44, slh-dsa-sha2-128f), bond dana:verifier)`. */
export function formulaText(formula: Formula, say: Say): string {
  if (formula.kind === "atom") return atomText(formula.atom, say);
  const { needed, parts } = formula;
  const which = needed === parts.length ? "all" : needed === 1 ? "any" : `${needed}`;
  return `${which} of (${parts.map((part) => formulaText(part, say)).join(", ")})`;
}
