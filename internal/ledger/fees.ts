/**
 * What a transaction costs. The floor pays for its own part and its share of the signatures; a kind
 * may ask for more where it leaves more behind.
 */
import type { AnyTxKind } from "./kind.ts";
import type { PolicedUnit } from "./ledger.ts";
import type { Registry } from "./registry.ts";
import { kindNamed } from "./registry.ts";

/** Micro-USD of a transaction besides signatures. */
const BASE_FEE = 300n;
/** Micro-USD of one dual signature, shared by the members of its unit. */
const SIGNATURE_FEE = 800n;
/** Micro-USD that a void slot costs, or what there is. */
export const VOID_FEE: bigint = BASE_FEE + SIGNATURE_FEE;

/** Micro-USD of one member: `beyond` is taken only when it succeeds. */
export interface Fee {
  readonly floor: bigint;
  readonly beyond: bigint;
}

/** The floor of a member of `members` under `signatures` dual signatures: 300 + ⌈800·k/n⌉. */
function floorFee(members: number, signatures: number): bigint {
  const n = BigInt(members);
  return BASE_FEE + (SIGNATURE_FEE * BigInt(signatures) + n - 1n) / n;
}

/** The fees of a unit's members, in order. */
export function unitFees(kinds: Registry<AnyTxKind>, signed: PolicedUnit): readonly Fee[] {
  const { unit, authorization } = signed;
  const floor = floorFee(unit.members.length, authorization.policy.threshold);
  return unit.members.map(({ kind, body }) => ({
    floor,
    beyond: kindNamed(kinds, kind).beyondFloor?.(body, unit) ?? 0n,
  }));
}
