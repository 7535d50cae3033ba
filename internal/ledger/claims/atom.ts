/**
 * Atoms of trust: what a claim can rest on, each with an id that hashes what it is. A bond's atom and
 * the bond itself, as an object of the state, have one id.
 */
import type { Codec, ValueOf } from "#internal/core/mod.ts";
import { encode, id, struct, text, toHex, u8, union } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Say } from "../sentences.ts";

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

/** What an atom names in the state. */
export type NamedObject =
  /** The bond whose money stands behind it, of the account that puts it at stake. */
  | { readonly role: "bond" | "judge"; readonly id: string; readonly account: string }
  /** The claim that it stands for. */
  | { readonly role: "claim"; readonly id: string };

/** What a kind of atom declares beside its encoding. */
interface AtomRules<Body> {
  /** The fault of an atom that no claim can rest on, else undefined. @default none has one */
  fault?(body: Body): string | undefined;
  /** As words: `bond dana:verifier`. */
  text(body: Body, say: Say): string;
  /** @default nothing */
  names?(body: Body): NamedObject;
  /** Whether readers trust it, unless they say otherwise. @default no */
  isTrusted?(body: Body): boolean;
  /** Whether a claim that rests on such atoms alone is issued whatever the state. @default no */
  readonly isStateless?: boolean;
}

/** What claims rest on that the ledger's own execution made: it is taken to execute rightly. */
export const EXECUTION = {
  kind: "assumption",
  body: { name: "ledger:execution" },
} as const satisfies Atom;

const RULES: { readonly [A in Atom as A["kind"]]: AtomRules<A["body"]> } = {
  signature: {
    fault: ({ family }) =>
      family < SIGNATURE_FAMILIES.length ? undefined : `there is no signature family ${family}`,
    text: ({ family }) => SIGNATURE_FAMILIES[family] ?? `signature family ${family}`,
    isTrusted: () => true,
    isStateless: true,
  },
  bond: {
    fault: ({ label }) => labelFault(label),
    text: ({ account, label }, say) => `bond ${say.account(account)}:${label}`,
    names: (body) => ({ role: "bond", id: bondId(body), account: body.account }),
  },
  claim: {
    text: ({ claim }, say) => `claim ${say.short(claim)}`,
    names: ({ claim }) => ({ role: "claim", id: claim }),
  },
  adjudicator: {
    fault: ({ label }) => labelFault(label),
    text: ({ account, label }, say) => `adjudicator ${say.account(account)}:${label}`,
    names: (body) => ({ role: "judge", id: bondId(body), account: body.account }),
  },
  assumption: {
    fault: ({ name }) => name === "" ? "an assumption needs a name" : undefined,
    text: ({ name }, say) => `assumption ${say.quote(name)}`,
    isTrusted: ({ name }) => name === EXECUTION.body.name,
  },
};

function rulesOf({ kind }: Atom): AtomRules<Atom["body"]> {
  return RULES[kind];
}

/** The fault of an atom that no claim can rest on, else undefined. */
export function atomFault(atom: Atom): string | undefined {
  return rulesOf(atom).fault?.(atom.body);
}

/** An atom as words: `bond dana:verifier`. */
export function atomText(atom: Atom, say: Say): string {
  return rulesOf(atom).text(atom.body, say);
}

/** What an atom names in the state; undefined for one that the ledger knows nothing about. */
export function namedBy(atom: Atom): NamedObject | undefined {
  return rulesOf(atom).names?.(atom.body);
}

/** Whether readers trust an atom unless they say otherwise. */
export function isTrustedByAll(atom: Atom): boolean {
  return rulesOf(atom).isTrusted?.(atom.body) === true;
}

/** Whether a claim can rest on an atom whatever the state of the ledger. */
export function isStateless(atom: Atom): boolean {
  return rulesOf(atom).isStateless === true;
}
