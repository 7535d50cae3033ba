/**
 * Data back from shares: rows and columns with eight known shares are completed in turn, and each is
 * checked against its root, until the square is whole or none is left that can be completed. To
 * block this, a 9 × 9 part must be missing: 81 shares at least.
 */
import { Buffer } from "node:buffer";
import { concatBytes, equalBytes } from "#internal/core/mod.ts";
import type { CompletedAxis } from "./axis_code.ts";
import { completeAxis } from "./axis_code.ts";
import type { BadEncodingProof } from "./bad_encoding.ts";
import { hasBadPadding } from "./bad_encoding.ts";
import type { ProvenShare, SquareCommitment } from "./commitment.ts";
import { AXIS_PATH, committedRoot, pathIn, verifyProvenShare } from "./commitment.ts";
import type { Axis } from "./shape.ts";
import { cellOf, DATA_WIDTH, otherAxis, placeOn, SQUARE_SHARES, SQUARE_WIDTH } from "./shape.ts";

/** What shares gave. */
export type Reconstruction =
  | {
    readonly kind: "data";
    readonly data: Uint8Array;
  }
  | {
    /** Not enough: these many of 256 shares are still unknown. */
    readonly kind: "incomplete";
    readonly missing: number;
    /** Shares handed in that were not what the commitment says; they were left out. */
    readonly refused: number;
  }
  | {
    /** What was published is no extension of any data. */
    readonly kind: "bad-encoding";
    readonly proof: BadEncodingProof;
  };

/** What is known of one place: its share as proven through its row, and through its column. */
type Cell = { [axis in Axis]?: ProvenShare };

/**
 * The data of a commitment, from any shares that suffice.
 * @param commitment one that `verifyCommitment` accepted.
 * @param shares in any order, from anyone, and some of them twice: each is checked.
 */
export function reconstruct(
  commitment: SquareCommitment,
  shares: Iterable<ProvenShare>,
): Reconstruction {
  const cells = Array.from({ length: SQUARE_SHARES }, (): Cell => ({}));
  let refused = 0;
  for (const proven of shares) {
    if (verifyProvenShare(commitment, proven)) cellAt(cells, proven)[proven.through] ??= proven;
    else refused++;
  }
  const open = new Set(
    (["row", "column"] as const).flatMap((axis) =>
      Array.from({ length: SQUARE_WIDTH }, (_, index) => ({ axis, index }))
    ),
  );
  for (let before = Infinity; open.size < before;) {
    before = open.size;
    for (const line of open) {
      const known = knownOn(cells, line.axis, line.index);
      if (known.length < DATA_WIDTH) continue;
      const proof = complete(commitment, cells, line.axis, line.index, known);
      if (proof !== undefined) return { kind: "bad-encoding", proof };
      open.delete(line);
    }
  }
  if (open.size > 0) {
    const missing = cells.filter((cell) => shareIn(cell) === undefined).length;
    return { kind: "incomplete", missing, refused };
  }
  return dataOf(commitment, cells);
}

/**
 * Completes a row or column from eight of its shares and notes the others with their paths; or the
 * proof that its shares do not belong together.
 */
function complete(
  commitment: SquareCommitment,
  cells: readonly Cell[],
  axis: Axis,
  index: number,
  known: readonly ProvenShare[],
): BadEncodingProof | undefined {
  const chosen = known.slice(0, DATA_WIDTH);
  const proof = (shares: readonly ProvenShare[]): BadEncodingProof => ({
    commitment,
    fault: { kind: "axis", body: { axis, index, shares } },
  });
  const line = completeAxis(new Map(chosen.map((p) => [placeOn(axis, p)[1], p.share])));
  if (!equalBytes(line.root, committedRoot(commitment, axis, index))) return proof(chosen);
  for (let place = 0; place < SQUARE_WIDTH; place++) {
    const proven = provenOn(line, axis, index, place);
    const cell = cellAt(cells, proven);
    const crossing = cell[otherAxis(axis)];
    // Buffer's comparison, since these are long.
    if (crossing !== undefined && Buffer.compare(crossing.share, proven.share) !== 0) {
      // Seven shares of the line and the one that contradicts it make another line.
      const rest = Array.from({ length: DATA_WIDTH }, (_, i) => i)
        .filter((i) => i !== place)
        .slice(0, DATA_WIDTH - 1)
        .map((i) => provenOn(line, axis, index, i));
      return proof([...rest, crossing]);
    }
    cell[axis] = proven;
  }
  return undefined;
}

function provenOn(line: CompletedAxis, axis: Axis, index: number, place: number): ProvenShare {
  const [row, column] = cellOf(axis, index, place);
  const path = pathIn(line.levels, place, AXIS_PATH);
  return { row, column, share: line.shares[place] as Uint8Array, through: axis, path };
}

/** A share for each known place of a row or column, by place. */
function knownOn(cells: readonly Cell[], axis: Axis, index: number): ProvenShare[] {
  const known: ProvenShare[] = [];
  for (let place = 0; place < SQUARE_WIDTH; place++) {
    const [row, column] = cellOf(axis, index, place);
    const share = shareIn(cellAt(cells, { row, column }));
    if (share !== undefined) known.push(share);
  }
  return known;
}

/** The data of a whole square, or the proof that something stands behind it. */
function dataOf(commitment: SquareCommitment, cells: readonly Cell[]): Reconstruction {
  const parts: Uint8Array[] = [];
  for (let row = 0; row < DATA_WIDTH; row++) {
    for (let column = 0; column < DATA_WIDTH; column++) {
      const share = shareIn(cellAt(cells, { row, column })) as ProvenShare;
      if (hasBadPadding(commitment.dataBytes, share)) {
        const fault = { kind: "padding", body: share } as const;
        return { kind: "bad-encoding", proof: { commitment, fault } };
      }
      parts.push(share.share);
    }
  }
  return { kind: "data", data: concatBytes(...parts).subarray(0, commitment.dataBytes) };
}

function cellAt(cells: readonly Cell[], { row, column }: { row: number; column: number }): Cell {
  return cells[row * SQUARE_WIDTH + column] as Cell;
}

function shareIn(cell: Cell): ProvenShare | undefined {
  return cell.row ?? cell.column;
}
