/**
 * The decision rule: rely on a claim only if `min(δ·CoC, CoC(adjudicator)) ≥ κ·V` and as much of
 * what backs it is reserved for nobody. Pure integers: micro-USD, thousandths, κ in millionths.
 */
import { formatUsdGrouped, FULL_DETECTION } from "#internal/core/mod.ts";
import type { LedgerObject } from "../object_kind.ts";
import type { Claim, ClaimStatus } from "../objects/claim.ts";
import { claimStatus } from "../objects/claim.ts";
import type { Corruption } from "./corruption.ts";
import { corruptionOf } from "./corruption.ts";
import type { Cost } from "./cost.ts";
import { discounted, isBelow, lesser } from "./cost.ts";
import type { RestingAtom, Trust, TrustReader } from "./resting.ts";
import { restingOf, trustReader } from "./resting.ts";

/** Millionths in one: the unit of κ. */
const KAPPA_ONE = 1_000_000n;

/** What a reader asks of a claim before it relies on it. */
export interface Reliance extends Trust {
  /** Micro-USD that are lost if the claim is false. */
  readonly value: bigint;
  /** The safety factor κ, in millionths. */
  readonly kappa: bigint;
  /** Steps of each search for a cost. @default {@link MAX_STEPS} */
  readonly maxSteps?: number;
}

/** What the rule says, and why. */
export interface Decision {
  readonly accept: boolean;
  readonly coc: Corruption;
  /** δ·CoC. */
  readonly detectionAdjusted: Cost;
  /** CoC(adjudicator); infinite where none is named. */
  readonly adjudicatorCap: Cost;
  /** The lesser of the two. */
  readonly effective: Cost;
  /** κ·V, rounded up. */
  readonly required: bigint;
  /** The cost of corruption in what is reserved for nobody. */
  readonly reservable: Cost;
  readonly reasons: readonly string[];
}

/** A claim, looked at before relying on it. */
export interface Assessment {
  readonly status: ClaimStatus;
  readonly decision: Decision;
  readonly atoms: readonly RestingAtom[];
}

/** See {@link Assessment}. Where a cost is known only as an interval, its low end decides. */
export function assess(reader: TrustReader, claim: Claim, reliance: Reliance): Assessment {
  const resting = restingOf(reader, claim, reliance);
  const status = claimStatus(claim, reliance);
  const coc = corruptionOf(resting.whole, reliance.maxSteps);
  const detectionAdjusted = discounted(coc.low, resting.detection);
  const decided = {
    coc,
    detectionAdjusted,
    adjudicatorCap: resting.adjudicator,
    effective: lesser(detectionAdjusted, resting.adjudicator),
    required: requiredOf(reliance),
    reservable: corruptionOf(resting.free, reliance.maxSteps).low,
  };
  const faults = faultsOf(decided, status, resting.detection);
  const reasons = faults.length > 0 ? faults : [
    `cost of corruption ${costText(decided.effective)} covers ${requiredText(decided.required)}`,
  ];
  const decision = { ...decided, accept: faults.length === 0, reasons };
  return { status, decision, atoms: resting.atoms };
}

/**
 * The objects that deciding on a claim at a Pulse reads, by id, with the claim itself; none when there
 * is no such claim. Who distrusts something reads no more.
 */
export function readToDecide(
  read: (id: string) => LedgerObject | undefined,
  id: string,
  pulse: bigint,
): ReadonlyMap<string, LedgerObject> {
  const seen = new Map<string, LedgerObject>();
  const reader = trustReader((each) => {
    const object = read(each);
    if (object !== undefined) seen.set(each, object);
    return object;
  });
  const claim = reader.claim(id);
  if (claim === undefined) return new Map();
  restingOf(reader, claim, { pulse, distrusted: new Set() });
  return seen;
}

/** κ·V in micro-USD, rounded up. */
export function requiredOf({ value, kappa }: Pick<Reliance, "value" | "kappa">): bigint {
  return (value * kappa + KAPPA_ONE - 1n) / KAPPA_ONE;
}

function faultsOf(
  decided: Omit<Decision, "accept" | "reasons">,
  status: ClaimStatus,
  detection: number,
): readonly string[] {
  const { detectionAdjusted, adjudicatorCap, required, reservable } = decided;
  const needed = requiredText(required);
  const faults: string[] = [];
  if (status !== "Active") faults.push(`the claim is ${status.toLowerCase()}`);
  if (isBelow(detectionAdjusted, required)) {
    const discount = `after detection discount ${detection}/${FULL_DETECTION}`;
    faults.push(
      `cost of corruption ${costText(detectionAdjusted)} (${discount}) is below ${needed}`,
    );
  }
  if (isBelow(adjudicatorCap, required)) {
    faults.push(
      `the adjudicator's cost of corruption ${costText(adjudicatorCap)} is below ${needed}`,
    );
  }
  if (isBelow(reservable, required)) {
    faults.push(`only ${costText(reservable)} of backing is unreserved; ${needed} is needed`);
  }
  return faults;
}

function costText(cost: Cost): string {
  return cost === "infinite" ? "∞" : formatUsdGrouped(cost);
}

function requiredText(required: bigint): string {
  return `κ·V = ${formatUsdGrouped(required)}`;
}
