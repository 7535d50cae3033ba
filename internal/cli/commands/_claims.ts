/** Claims and bonds as commands take and show them. */
import { parseFactor, quoteOddWord, shortId } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { AssessedClaim, CostValue, ObjectValue } from "#internal/client/mod.ts";
import type { Reader } from "../command.ts";
import { usageError } from "../errors.ts";
import { textOf, usdOf } from "./_objects.ts";

type Fields = { readonly [member: string]: JsonValue };

/** The label of a bond. */
export const label: Reader<string> = { placeholder: "LABEL", read: (given) => given };

/** Who judges, with the label of its bond: `carol:judge`. */
export const judge: Reader<{ readonly account: string; readonly label: string }> = {
  placeholder: "ACCOUNT:LABEL",
  read(given, what) {
    const [account = "", label = "", ...rest] = given.split(":");
    if (account === "" || label === "" || rest.length > 0) {
      throw usageError(
        `${what} ${quoteOddWord(given)} names no adjudicator: write it like carol:judge`,
      );
    }
    return { account, label };
  },
};

/** A factor above 0, in millionths. */
export const factor: Reader<bigint> = { placeholder: "FACTOR", read: parseFactor };

/** A claim with its id. */
export function claimValue({ id, object }: ObjectValue): Fields {
  return { ...object, claim: id };
}

/** A bond with its id, amounts in decimal USD. */
export function bondValue({ id, object }: ObjectValue): Fields {
  const release = object["release"] as Fields | null;
  const reservations = object["reservations"] as readonly Fields[];
  return {
    ...object,
    bond: id,
    amount: usdOf(object["amount"]),
    free: usdOf(object["free"]),
    slashed: usdOf(object["slashed"]),
    release: release && { ...release, amount: usdOf(release["amount"]) },
    reservations: reservations.map((one) => ({ ...one, amount: usdOf(one["amount"]) })),
  };
}

/** A bond as a line, and one more for each part that is held or on its way out. */
export function bondLines(bond: ObjectValue, name: (id: string) => string): readonly string[] {
  const { label, amount, free, slashed, release, reservations } = bondValue(bond);
  const lost = slashed === "0" ? "" : `, ${textOf(slashed)} slashed so far`;
  const leaving = release as Fields | null;
  return [
    `bond ${bond.id} ${textOf(label)}: ${textOf(amount)} USD, ${textOf(free)} unreserved${lost}`,
    ...(reservations as readonly Fields[]).map((one) =>
      `${textOf(one["amount"])} USD held for ${name(textOf(one["account"]))} until Pulse ` +
      `${textOf(one["until"])} on claim ${shortId(textOf(one["claim"]))}`
    ),
    ...(leaving === null ? [] : [
      `${textOf(leaving["amount"])} USD can be taken from Pulse ${textOf(leaving["due"])} on`,
    ]),
  ];
}

/** What the decision rule says, atom by atom, with its verdict last. */
export function assessmentLines(
  { atoms, claim, decision, status }: AssessedClaim,
  id: (id: string) => string,
): readonly string[] {
  const verdict = decision.accept ? "rely on it" : "do not rely on it";
  return [
    `${claim} (${status.toLowerCase()})`,
    ...atoms.map((atom) =>
      `atom ${id(atom.id)} ${atom.what}: ${atom.trusted ? "trusted" : costText(atom.cost)}`
    ),
    ...decision.reasons.map((reason) => `${verdict}: ${reason}`),
  ];
}

/** Whether a claim would be judged by who made it. */
export function isJudgedByIssuer({ adjudicator, issuer }: ObjectValue["object"]): boolean {
  return adjudicator !== null && (adjudicator as Fields)["account"] === issuer;
}

function costText(cost: CostValue): string {
  return cost === "Infinite" ? "cannot be bought" : `${textOf(usdOf(cost.Finite))} USD to corrupt`;
}
