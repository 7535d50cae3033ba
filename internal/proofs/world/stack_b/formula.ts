/** What claims rest on: atoms and formulas. docs/protocol/claims.md, Atoms and formulas. */
import type { Codec, ValueOf } from "#internal/core/mod.ts";
import {
  encode,
  equalBytes,
  id,
  list,
  SionError,
  struct,
  text,
  toHex,
  u8,
  union,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";

/** Groups that may stand within each other. */
const MAX_GROUPS = 4;
/** Atoms of one formula, repeated ones counted each time. */
const MAX_ATOMS = 32;
/** Different bonds that one formula rests on. */
const MAX_BONDS = 8;
/** Parts of one group. */
const MAX_PARTS = 32;
/** Families of signatures: ML-DSA-44 and SLH-DSA-SHA2-128f. */
const FAMILIES = 2;

function refuse(what: string): never {
  throw new SionError("codec", `Cannot decode: ${what}`);
}

/** Names a bond. */
export const bondNameCodec = struct({ account: id, label: text(32) });
export type BondName = ValueOf<typeof bondNameCodec>;

const atomCodec = union({
  signature: [0, struct({ family: u8 })],
  bond: [1, bondNameCodec],
  claim: [2, struct({ claim: id })],
  adjudicator: [3, bondNameCodec],
  assumption: [4, struct({ name: text(64) })],
});
export type Atom = ValueOf<typeof atomCodec>;

/** An atom, or a group of which so many parts are needed. */
export type Formula =
  | { readonly kind: "atom"; readonly body: Atom }
  | {
    readonly kind: "group";
    readonly body: { readonly needed: number; readonly parts: readonly Formula[] };
  };

/** The formulas that stand within so many groups; a group within too many is refused on reading. */
function formulaWithin(groups: number): Codec<Formula> {
  const parts = () => list(formulaWithin(groups + 1), MAX_PARTS);
  return {
    write(to, formula) {
      if (formula.kind === "atom") {
        to.uleb(0);
        atomCodec.write(to, formula.body);
      } else {
        to.uleb(1);
        u8.write(to, formula.body.needed);
        parts().write(to, formula.body.parts);
      }
    },
    read(from) {
      const tag = from.uleb();
      if (tag === 0) return { kind: "atom", body: atomCodec.read(from) };
      if (tag !== 1) return refuse(`${tag} is no kind of formula`);
      if (groups >= MAX_GROUPS) return refuse("a formula's groups are too deep");
      return { kind: "group", body: { needed: u8.read(from), parts: parts().read(from) } };
    },
  };
}

/** A formula as it is encoded. */
export const formulaCodec: Codec<Formula> = formulaWithin(0);

/** All of several formulas, or with `needed` 1 any of them. */
export function groupOf(needed: number, parts: readonly Formula[]): Formula {
  return { kind: "group", body: { needed, parts } };
}

const family = (of: number): Formula => ({
  kind: "atom",
  body: { kind: "signature", body: { family: of } },
});

/** The dual signature: all of both families. */
export const DUAL_SIGNATURE: Formula = groupOf(2, [family(0), family(1)]);

/** The formula that is a bond's atom alone. */
export function bondFormula(body: BondName): Formula {
  return { kind: "atom", body: { kind: "bond", body } };
}

/** The formula that is a claim's atom alone. */
export function claimFormula(claim: string): Formula {
  return { kind: "atom", body: { kind: "claim", body: { claim } } };
}

/** Whether two formulas are the same. */
export function isSameFormula(one: Formula, other: Formula): boolean {
  return equalBytes(encode(formulaCodec, one), encode(formulaCodec, other));
}

/** The atoms of a formula in the order in which they are encoded, repeated ones too. */
export function atomsOf(formula: Formula): readonly Atom[] {
  return formula.kind === "atom" ? [formula.body] : formula.body.parts.flatMap(atomsOf);
}

/** The id of an atom. */
export function atomId(atom: Atom): string {
  return toHex(taggedHash("sion/atom/v1", encode(atomCodec, atom)));
}

/** The id of a bond: that of the atom that rests on it. */
export function bondId({ account, label }: BondName): string {
  return atomId({ kind: "bond", body: { account, label } });
}

/** The bonds that a formula rests on, each once, in the order in which they first stand. */
export function bondsOf(formula: Formula): readonly string[] {
  const ids = atomsOf(formula).flatMap((atom) => atom.kind === "bond" ? [bondId(atom.body)] : []);
  return [...new Set(ids)];
}

/** Why a label is none, or null. */
export function labelFault(label: string): string | null {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(label) ? null : "a label is none";
}

/** Why a formula is none, or null. */
export function formulaFault(formula: Formula): string | null {
  if (!hasGoodGroups(formula)) return "a group has too few parts, or needs none or too many";
  const atoms = atomsOf(formula);
  if (atoms.length > MAX_ATOMS) return "a formula has too many atoms";
  if (bondsOf(formula).length > MAX_BONDS) return "a formula rests on too many bonds";
  return atoms.map(atomFault).find((fault) => fault !== null) ?? null;
}

function hasGoodGroups(formula: Formula): boolean {
  if (formula.kind === "atom") return true;
  const { needed, parts } = formula.body;
  if (parts.length < 2 || needed < 1 || needed > parts.length) return false;
  return parts.every(hasGoodGroups);
}

function atomFault(atom: Atom): string | null {
  switch (atom.kind) {
    case "signature":
      return atom.body.family < FAMILIES ? null : "a family is none";
    case "bond":
    case "adjudicator":
      return labelFault(atom.body.label);
    case "claim":
      return null;
    case "assumption":
      return atom.body.name === "" ? "an assumption has no name" : null;
  }
}
