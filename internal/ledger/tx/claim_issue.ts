/**
 * Issues a claim: what the acting account states, and what the statement rests on. On signatures
 * alone it cannot fail; bonds and claims that it rests on have to be there.
 */
import {
  FULL_DETECTION,
  MAX_CLAIM_PULSES,
  MAX_SUBJECT_BYTES,
  option,
  struct,
  text,
  u16,
  u64,
} from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { bondNameCodec, labelFault, namedBy } from "../claims/atom.ts";
import {
  atomsOf,
  DUAL_SIGNATURE,
  formulaCodec,
  formulaFault,
  formulaText,
  idsNamed,
  isStatelessFormula,
} from "../claims/formula.ts";
import { defineTxKind } from "../kind.ts";
import { bondKind } from "../objects/bond.ts";
import type { Extent } from "../objects/claim.ts";
import { MAX_SCHEMA_BYTES } from "../objects/claim.ts";
import type { View } from "../view.ts";
import { needActiveClaim } from "./_backing.ts";

const SCHEMA = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;
/** Claims that can stand on each other. */
const MAX_DEPTH = 8;
/** Atoms that a claim can rest on, those of claims below counted in their places. */
const MAX_ATOMS_BELOW = 128;

const codec = struct({
  schema: text(MAX_SCHEMA_BYTES),
  /** What it states, in words. */
  subject: text(MAX_SUBJECT_BYTES),
  formula: formulaCodec,
  /** Who may find it false, with the bond that it has at stake for judging. */
  adjudicator: option(bondNameCodec),
  /** Thousandths: how often its being false would be noticed. */
  detection: u16,
  /** Pulses that it is valid for, after the one it is issued in; null without end. */
  validFor: option(u64),
});

/** Body of `claim_issue`. */
export type ClaimIssueBody = ValueOf<typeof codec>;

function fault(body: ClaimIssueBody): string | undefined {
  const { schema, subject, formula, adjudicator, detection, validFor } = body;
  if (!SCHEMA.test(schema)) {
    return "a schema has letters, digits and . _ / -, and begins with a letter or digit";
  }
  if (subject === "") return "a claim states something";
  const shape = formulaFault(formula) ?? (adjudicator ? labelFault(adjudicator.label) : undefined);
  if (shape !== undefined) return shape;
  if (detection < 1 || detection > FULL_DETECTION) {
    return `a detection factor is 1 to ${FULL_DETECTION} thousandths`;
  }
  return validFor !== null && (validFor < 1n || validFor > MAX_CLAIM_PULSES)
    ? `a claim is valid for 1 to ${MAX_CLAIM_PULSES} Pulses, or without end`
    : undefined;
}

/** Checks each atom that the ledger knows something of, and measures what stands below. */
function measure(view: View, { formula }: ClaimIssueBody): Extent {
  let depth = 0;
  let atoms = 0;
  for (const atom of atomsOf(formula)) {
    atoms += 1;
    const named = namedBy(atom);
    if (named?.role === "bond") {
      view.require(
        named.account === view.actor,
        "unauthorized",
        "a claim can rest on bonds of its issuer only",
      );
      view.need(bondKind, named.id);
    } else if (named?.role === "claim") {
      const { id } = named;
      const below = needActiveClaim(view, id);
      depth = Math.max(depth, below.depth + 1);
      atoms += below.atoms - 1;
    }
  }
  view.require(
    depth <= MAX_DEPTH,
    "invalid transaction",
    `claims can be at most ${MAX_DEPTH} deep`,
  );
  view.require(
    atoms <= MAX_ATOMS_BELOW,
    "invalid transaction",
    `a claim can rest on at most ${MAX_ATOMS_BELOW} atoms`,
  );
  return { depth, atoms };
}

export const claimIssue = defineTxKind({
  name: "claim_issue",
  tag: 56,
  since: "1.0",
  certificateFixes: ({ formula }: ClaimIssueBody) =>
    isStatelessFormula(formula) ? "outcome" : "execution",
  body: codec,
  check: fault,
  touches: ({ formula }) => ({
    shared: [...idsNamed(formula, "bond"), ...idsNamed(formula, "claim")],
  }),
  intent({ schema, subject, formula, adjudicator, detection, validFor }, say) {
    const rests = formulaText(formula, say);
    const parts = [
      `State ${say.quote(subject)} as ${schema}`,
      rests === formulaText(DUAL_SIGNATURE, say)
        ? "resting on the signature alone"
        : `resting on ${rests}`,
    ];
    if (adjudicator) {
      parts.push(`judged by ${say.account(adjudicator.account)} with bond ${adjudicator.label}`);
    }
    if (detection < FULL_DETECTION) parts.push(`noticed ${detection} times in ${FULL_DETECTION}`);
    parts.push(validFor === null ? "without end" : `for ${validFor} Pulses`);
    return parts.join(", ");
  },
  apply(view: View, body) {
    const { schema, subject, formula, adjudicator, detection, validFor } = body;
    const below = measure(view, body);
    view.issue({
      issuer: view.actor,
      schema,
      subject: { kind: "note", body: { transaction: view.digest, text: subject } },
      basis: { kind: "trust", body: { formula, adjudicator, detection } },
      issued: view.pulse,
      validUntil: validFor === null ? null : view.pulse + validFor,
    }, below);
  },
  done: ({ made }, _body, say) => `claim ${say.short(made[0] ?? "")} submitted`,
});
