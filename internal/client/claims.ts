/** Stating claims, and deciding whether to rely on one. */
import {
  DEFAULT_CLAIM_PULSES,
  DEFAULT_CLAIM_SCHEMA,
  DEFAULT_KAPPA,
  fromHex,
  FULL_DETECTION,
  isHex64,
  quoteOddWord,
  shortId,
} from "#internal/core/mod.ts";
import type { Assessment, Cost, LedgerObject, Say } from "#internal/ledger/mod.ts";
import { accountNamed, knownNames } from "./accounts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument, noNode, notFound } from "./errors.ts";
import { exact } from "./exact.ts";
import { findObject } from "./objects.ts";
import { makeOne, signingPlace } from "./transact.ts";
import type {
  Abortable,
  AssessedClaim,
  ClaimQuestion,
  CostValue,
  IssuedClaim,
  NewClaim,
  ReadClaim,
} from "./types.ts";

/** Issues a claim. To make it false, any one of what it rests on has to be corrupted. */
export async function issueClaim(context: Context, claim: NewClaim): Promise<IssuedClaim> {
  const { anyOf, atomFormula, DUAL_SIGNATURE } = await import("#internal/ledger/mod.ts");
  const facts = await chainFacts(context, claim.signal);
  const below = await Promise.all(
    (claim.restsOn ?? []).map((id) => findObject(context, "claim", id, withSignal(claim.signal))),
  );
  const { adjudicator } = claim;
  const judge = adjudicator === undefined ? null : {
    account: (await accountNamed(context, facts, adjudicator.account, true)).account,
    label: adjudicator.label,
  };
  const place = await signingPlace(context, facts, claim.issuer, claim);
  const bonds = claim.bondLabel === undefined ? [] : [
    atomFormula({
      kind: "bond",
      body: { account: place.signer.account, label: claim.bondLabel },
    }),
  ];
  const more = [
    ...bonds,
    ...below.map(({ id }) => atomFormula({ kind: "claim", body: { claim: id } })),
  ];
  const body = {
    schema: claim.schema ?? DEFAULT_CLAIM_SCHEMA,
    subject: claim.subject,
    formula: more.length === 0 ? DUAL_SIGNATURE : anyOf(DUAL_SIGNATURE, ...more),
    adjudicator: judge,
    detection: claim.detection ?? FULL_DETECTION,
    validFor: BigInt(claim.holdsForPulses ?? DEFAULT_CLAIM_PULSES),
  };
  const outcome = await makeOne(place, { kind: "claim_issue", body }, claim);
  const [id] = outcome.made;
  return { ...outcome, ...(id === undefined ? {} : { claim: id }) };
}

/**
 * What the decision rule says of a claim.
 * @throws {SionError} `not-found`; `argument` when an atom's beginning fits none of the claim's, or
 * several; `node-error` when the node's objects are not what their ids say.
 */
export async function assessClaim(
  context: Context,
  { claim: named, value, kappa = DEFAULT_KAPPA, distrust = [] }: ClaimQuestion,
  options: Abortable = {},
): Promise<AssessedClaim> {
  const facts = await chainFacts(context, options.signal);
  const { assess, sayWith, subjectText } = await import("#internal/ledger/mod.ts");
  const { reader, claim, pulse } = await readClaim(context, named, options);
  const judge = (distrusted: ReadonlySet<string>): Assessment =>
    assess(reader, claim, { pulse, value, kappa, distrusted });
  const trusting = judge(new Set());
  const assessment = distrust.length === 0
    ? trusting
    : judge(distrusted(distrust, trusting.atoms.map((atom) => atom.id)));
  const say = sayWith(await knownNames(context, facts));
  return await assessedValue(assessment, subjectText(claim, say), say);
}

/**
 * Reads a claim by its id or the beginning of it.
 * @throws {SionError} `not-found`; `node-error` when the node's objects are not what their ids say.
 */
export async function readClaim(
  context: Context,
  named: string,
  options: Abortable,
): Promise<ReadClaim> {
  const id = isHex64(named) ? named : (await findObject(context, "claim", named, options)).id;
  const answer = await context.rpc.claim({ id }, options);
  const { trustReader } = await import("#internal/ledger/mod.ts");
  const objects = await readObjects(context, answer.objects);
  const reader = trustReader((each) => objects.get(each));
  const claim = reader.claim(id);
  if (claim === undefined) {
    throw notFound(`the ledger has no claim ${shortId(id)}: check the id`);
  }
  return { id, claim, reader, pulse: BigInt(answer.pulse) };
}

/** The objects of an answer, each of which is what its id says. */
async function readObjects(
  context: Context,
  given: readonly { readonly id: string; readonly object: string }[],
): Promise<ReadonlyMap<string, LedgerObject>> {
  const ledger = await context.ledger();
  const objects = new Map<string, LedgerObject>();
  for (const { id, object: text } of given) {
    try {
      const object = ledger.decodeObject(fromHex(text));
      const own = ledger.idOf(object);
      if (own === undefined) throw new TypeError(`No claim rests on a ${object.kind}`);
      if (own !== id) throw new TypeError(`The ${object.kind} given as ${id} is ${own}`);
      objects.set(id, object);
    } catch (cause) {
      throw noNode(context.node, cause);
    }
  }
  return objects;
}

/** Ids in full are taken as they are, also of atoms that this claim does not rest on. */
function distrusted(given: readonly string[], atoms: readonly string[]): ReadonlySet<string> {
  return new Set(given.map((text) => {
    if (isHex64(text)) return text;
    const [found, ...more] = /^[0-9a-f]{4,63}$/.test(text)
      ? atoms.filter((id) => id.startsWith(text))
      : [];
    if (found === undefined || more.length > 0) {
      throw badArgument(
        `${quoteOddWord(text)} begins the id of ${
          found === undefined ? "no atom" : "several atoms"
        }` +
          " of the claim: give an id as the assessment lists it",
      );
    }
    return found;
  }));
}

async function assessedValue(
  { atoms, decision, status }: Assessment,
  claim: string,
  say: Say,
): Promise<AssessedClaim> {
  const { atomText } = await import("#internal/ledger/mod.ts");
  return {
    atoms: atoms.map(({ id, atom, bond, isTrusted, cost }) => ({
      bond: bond === null ? null : exact(bond),
      cost: costValue(cost),
      id,
      trusted: isTrusted,
      what: atomText(atom, say),
    })),
    claim,
    decision: {
      accept: decision.accept,
      adjudicator_cap: costValue(decision.adjudicatorCap),
      coc: {
        exact: decision.coc.exact,
        high: costValue(decision.coc.high),
        low: costValue(decision.coc.low),
      },
      detection_adjusted: costValue(decision.detectionAdjusted),
      effective: costValue(decision.effective),
      reasons: decision.reasons,
      required: exact(decision.required),
      reservable: costValue(decision.reservable),
    },
    status,
  };
}

function costValue(cost: Cost): CostValue {
  return cost === "infinite" ? "Infinite" : { Finite: exact(cost) };
}
