/**
 * Atoms of trust: what a claim can rest on, each with an id that hashes what it is. A bond's atom and
 * the bond itself, as an object of the state, have one id.
 */
import type { Codec, ValueOf } from "#internal/core/mod.ts";
import { encode, id, struct, text, toHex, u8, union } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";

const ATOM_TAG = "sion/atom/v1";

/** Bytes of the label of a bond. */
export const MAX_LABEL_BYTES = 32;
/** Bytes of the name of an assumption. */
const MAX_ASSUMPTION_BYTES = 64;
const LABEL = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Signature families, by their number. Both halves of a dual signature must hold. */
export const SIGNATURE_FAMILIES = ["ml-dsa-44", "slh-dsa-sha2-128f"] as const;

/** The bond that an account posted under a label. */
export const bondNameCodec = struct({ account: id, label: text(MAX_LABEL_BYTES) });

/** Names a bond: `bond:<account>:<label>`. */
export type BondName = ValueOf<typeof bondNameCodec>;

const codec = union({
  /** That nobody forges signatures of a family. */
  signature: [0, struct({ family: u8 })],
  /** The money of a bond. */
  bond: [1, bondNameCodec],
  /** All that an earlier claim rests on. */
  claim: [2, struct({ claim: id })],
  /** An account that judges claims, with what it has at stake for that. */
  adjudicator: [3, bondNameCodec],
  /** Something that has to be so and that the ledger knows nothing about. */
  assumption: [4, struct({ name: text(MAX_ASSUMPTION_BYTES) })],
});

export type Atom = ValueOf<typeof codec>;

/** The encoding of atoms. */
export const atomCodec: Codec<Atom> = codec;

/** The id of an atom: a hash of what it is. */
export function atomId(atom: Atom): string {
  return toHex(taggedHash(ATOM_TAG, encode(codec, atom)));
}

/** The id of a bond: that of its atom. */
export function bondId({ account, label }: BondName): string {
  return atomId({ kind: "bond", body: { account, label } });
}

/** The fault of a bond's label, else undefined. */
export function labelFault(label: string): string | undefined {
  if (label.length <= MAX_LABEL_BYTES && LABEL.test(label)) return undefined;
  return `a bond's label has 1 to ${MAX_LABEL_BYTES} letters, digits, - and _, ` +
    "and begins with a letter or digit";
}

/** The fault of an atom that no claim can rest on, else undefined. */
export function atomFault(atom: Atom): string | undefined {
  switch (atom.kind) {
    case "signature":
      return atom.body.family < SIGNATURE_FAMILIES.length
        ? undefined
        : `there is no signature family ${atom.body.family}`;
    case "bond":
    case "adjudicator":
      return labelFault(atom.body.label);
    case "assumption":
      return atom.body.name === "" ? "an assumption needs a name" : undefined;
    case "claim":
      return undefined;
  }
}
