/**
 * The shape of the square in which data is published: 8 × 8 shares of data, extended to 16 × 16 so
 * that any 8 shares of a row or column give the rest of it.
 */
import { SionError } from "#internal/core/mod.ts";

/** `data-size`: more data than a square takes; data `{length, max}` in bytes. */
export type SquareErrorCode = "data-size";

/** Shares in a row or column. */
export const SQUARE_WIDTH = 16;
/** Shares of a row or column that are enough for the rest of it; the first ones hold data. */
export const DATA_WIDTH = 8;
/** Shares in a square. */
export const SQUARE_SHARES: number = SQUARE_WIDTH * SQUARE_WIDTH;
/** Most data in one square, in bytes: 256 MiB, in shares of 4 MiB. */
export const MAX_DATA_BYTES: number = 1 << 28;
/** A share's size is a multiple of this many bytes, so that any vector unit divides it. */
const SHARE_UNIT = 64;
/** Most bytes in a share. */
export const MAX_SHARE_BYTES: number = MAX_DATA_BYTES / DATA_WIDTH / DATA_WIDTH;

/** Rows go from left to right, columns from top to bottom. */
export type Axis = "row" | "column";

/**
 * Bytes of each share of a square with that much data: a 64th of it, rounded up to a multiple of
 * 64, and 64 for no data.
 * @throws {SionError} `data-size` when it is more than {@link MAX_DATA_BYTES}.
 */
export function shareBytes(dataBytes: number): number {
  if (!isDataLength(dataBytes)) {
    throw new SionError<SquareErrorCode>(
      "data-size",
      `Cannot publish data: ${dataBytes} bytes are more than ${MAX_DATA_BYTES}`,
      { data: { length: dataBytes, max: MAX_DATA_BYTES } },
    );
  }
  const share = Math.ceil(dataBytes / (DATA_WIDTH * DATA_WIDTH));
  return SHARE_UNIT * Math.max(1, Math.ceil(share / SHARE_UNIT));
}

/** Whether a square can hold that many bytes of data. */
export function isDataLength(length: number): boolean {
  return Number.isSafeInteger(length) && length >= 0 && length <= MAX_DATA_BYTES;
}

/** Whether it is the number of a row or column. */
export function isPlace(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < SQUARE_WIDTH;
}

/** The other axis through a share. */
export function otherAxis(axis: Axis): Axis {
  return axis === "row" ? "column" : "row";
}

/** Row and column of the share at a place of an axis. */
export function cellOf(axis: Axis, index: number, place: number): readonly [number, number] {
  return axis === "row" ? [index, place] : [place, index];
}

/** Which row or column a share is in, and its place there. */
export function placeOn(
  axis: Axis,
  { row, column }: { readonly row: number; readonly column: number },
): readonly [index: number, place: number] {
  return axis === "row" ? [row, column] : [column, row];
}
