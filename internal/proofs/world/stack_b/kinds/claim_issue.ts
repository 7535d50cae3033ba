/** `claim_issue`: states something, and what it rests on. */
import { option, struct, text, u16, u64 } from "#internal/core/mod.ts";
import { statusOf } from "../claims.ts";
import type { Context } from "../context.ts";
import { invalid, short, unauthorized } from "../failure.ts";
import type { Formula } from "../formula.ts";
import {
  atomsOf,
  bondId,
  bondNameCodec,
  formulaCodec,
  formulaFault,
  labelFault,
} from "../formula.ts";
import { defineKind } from "../kind.ts";

/** Claims below each other. */
const MAX_DEPTH = 8;
/** Atoms of a claim and of all that it rests on. */
const MAX_ATOMS = 128;
/** Thousandths: every time. */
const ALWAYS = 1000;
/** Pulses of the longest claim that ends. */
const MAX_VALID_FOR = 1_000_000_000n;

/** docs/protocol/claims.md, claim_issue. */
export const claimIssue = defineKind({
  name: "claim_issue",
  tag: 56,
  codec: struct({
    schema: text(64),
    subject: text(1024),
    formula: formulaCodec,
    adjudicator: option(bondNameCodec),
    detection: u16,
    validFor: option(u64),
  }),
  fixes: ({ formula }) =>
    atomsOf(formula).every((atom) => atom.kind === "signature") ? "outcome" : "execution",
  fault({ schema, subject, formula, adjudicator, detection, validFor }) {
    if (!/^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/.test(schema)) return "a schema is none";
    if (subject === "") return "a claim says nothing";
    if (detection < 1 || detection > ALWAYS) return "a detection is none";
    if (validFor !== null && (validFor < 1n || validFor > MAX_VALID_FOR)) {
      return "a claim is valid for no time or too long";
    }
    return (adjudicator && labelFault(adjudicator.label)) ?? formulaFault(formula);
  },
  apply(context, { schema, subject, formula, adjudicator, detection, validFor }) {
    const rests = restsOn(context, formula);
    const says = {
      issuer: context.account,
      schema,
      subject: { kind: "text", body: { transaction: context.digest, text: subject } },
      basis: { kind: "trust", body: { formula, adjudicator, detection } },
      issued: context.pulse,
      validUntil: validFor === null ? null : context.pulse + validFor,
    } as const;
    context.claim(says, rests);
    return null;
  },
});

/** Looks up what a formula rests on, and how deep and wide that is. */
function restsOn(
  context: Context,
  formula: Formula,
): { readonly depth: number; readonly atoms: number } {
  let depth = 0;
  let atoms = 0;
  for (const atom of atomsOf(formula)) {
    let stands = 1;
    if (atom.kind === "bond") {
      if (atom.body.account !== context.account) {
        unauthorized("a claim can rest on bonds of its issuer only");
      }
      context.get("bond", bondId(atom.body));
    } else if (atom.kind === "claim") {
      const below = context.get("claim", atom.body.claim);
      const status = statusOf(below, context.pulse);
      if (status !== "active") invalid(`claim ${short(atom.body.claim)} is ${status}`);
      depth = Math.max(depth, below.depth + 1);
      stands = below.atoms;
    }
    atoms += stands;
  }
  if (depth > MAX_DEPTH) invalid("claims can be at most 8 deep");
  if (atoms > MAX_ATOMS) invalid("a claim can rest on at most 128 atoms");
  return { depth, atoms };
}
