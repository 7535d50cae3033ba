/**
 * Proof that published shares are no extension of any data: eight shares of a row or column whose
 * completion has another root than the one committed to, or a byte behind the data that is not
 * zero. Whoever holds the header refuses its data on such a proof alone.
 */
import { equalBytes } from "#internal/core/mod.ts";
import { completeAxis } from "./axis_code.ts";
import type { ProvenShare, SquareCommitment } from "./commitment.ts";
import { committedRoot, verifyCommitment, verifyProvenShare } from "./commitment.ts";
import type { Axis } from "./shape.ts";
import { DATA_WIDTH, isPlace, placeOn, shareBytes } from "./shape.ts";

/** That a square is badly encoded, with the shares that show it. */
export interface BadEncodingProof {
  readonly commitment: SquareCommitment;
  readonly fault: SquareFault;
}

/** What is wrong with a square. */
export type SquareFault =
  | {
    /** The row or column that these shares make has another root. */
    readonly kind: "axis";
    readonly body: {
      readonly axis: Axis;
      readonly index: number;
      /** Eight shares of it, each proven through it or through the other axis. */
      readonly shares: readonly ProvenShare[];
    };
  }
  | {
    /** The share holds something behind the end of the data. */
    readonly kind: "padding";
    readonly body: ProvenShare;
  };

/**
 * Whether the proof shows that what the data root commits to is badly encoded. There is none for
 * an honest square. Untrusted input gives false, never a throw.
 * @param chain the chain's identity, 32 bytes.
 */
export function verifyBadEncoding(
  root: Uint8Array,
  chain: Uint8Array,
  proof: BadEncodingProof,
): boolean {
  const { commitment, fault } = proof;
  if (!verifyCommitment(root, chain, commitment)) return false;
  if (fault.kind === "padding") {
    return verifyProvenShare(commitment, fault.body) &&
      hasBadPadding(commitment.dataBytes, fault.body);
  }
  const { axis, index, shares } = fault.body;
  if (!isPlace(index) || shares.length !== DATA_WIDTH) return false;
  const known = new Map<number, Uint8Array>();
  for (const proven of shares) {
    const [across, place] = placeOn(axis, proven);
    if (across !== index || known.has(place)) return false;
    if (!verifyProvenShare(commitment, proven)) return false;
    known.set(place, proven.share);
  }
  return !equalBytes(completeAxis(known).root, committedRoot(commitment, axis, index));
}

/** Whether a share in the quarter with the data has a byte behind its end that is not zero. */
export function hasBadPadding(
  dataBytes: number,
  { row, column, share }: Pick<ProvenShare, "row" | "column" | "share">,
): boolean {
  if (row >= DATA_WIDTH || column >= DATA_WIDTH) return false;
  const start = (row * DATA_WIDTH + column) * shareBytes(dataBytes);
  return share.subarray(Math.max(0, dataBytes - start)).some((byte) => byte !== 0);
}
