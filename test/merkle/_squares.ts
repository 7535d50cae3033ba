/** Squares to test with, honest and not. */
import { sha256 } from "#internal/crypto/mod.ts";
import type { Axis, ProvenShare } from "#internal/merkle/mod.ts";
import { DataSquare, SQUARE_SHARES, SQUARE_WIDTH } from "#internal/merkle/mod.ts";

/** The chain that the squares belong to. */
export const CHAIN: Uint8Array = sha256(Uint8Array.of(7));

/** Bytes that look random and are the same each time. */
export function someBytes(length: number, seed = 0): Uint8Array {
  const out = new Uint8Array(length);
  for (let at = 0; at < length; at += 32) {
    const block = sha256(Uint8Array.of(seed, seed >> 8, at >> 5, at >> 13));
    out.set(block.subarray(0, length - at), at);
  }
  return out;
}

/** All shares of a square, row by row. */
export function sharesOf(square: DataSquare): Uint8Array[] {
  return Array.from(
    { length: SQUARE_SHARES },
    (_, i) => square.share(Math.floor(i / SQUARE_WIDTH), i % SQUARE_WIDTH),
  );
}

/** A square with committed roots in which one byte of one share was changed before. */
export function withOneWrongShare(square: DataSquare, place: number): DataSquare {
  const shares = sharesOf(square).map((share, i) =>
    i === place ? share.with(0, (share[0] as number) ^ 1) : share
  );
  return DataSquare.ofShares(square.dataBytes, shares);
}

/** The shares at places numbered row by row, each proven through an axis. */
export function provenShares(
  square: DataSquare,
  places: Iterable<number>,
  through: (place: number) => Axis = () => "row",
): ProvenShare[] {
  return [...places].map((place) =>
    square.proveInAxis(Math.floor(place / SQUARE_WIDTH), place % SQUARE_WIDTH, through(place))
  );
}

/** Numbers from 0 to 255 in an order that the seed decides. */
export function shuffledPlaces(seed: number): number[] {
  const keys = Array.from(
    { length: SQUARE_SHARES },
    (_, place) => [sha256(Uint8Array.of(seed, seed >> 8, place))[0] as number, place] as const,
  );
  return keys.sort(([a, i], [b, j]) => a - b || i - j).map(([, place]) => place);
}

/** Whether rows and columns with eight places known, completed in turn, end with all of them. */
export function isDecodable(known: ReadonlySet<number>): boolean {
  const at = new Set(known);
  const lines = Array.from(
    { length: 2 * SQUARE_WIDTH },
    (_, line) =>
      Array.from(
        { length: SQUARE_WIDTH },
        (_, i) => line < SQUARE_WIDTH ? line * SQUARE_WIDTH + i : i * SQUARE_WIDTH + line % 16,
      ),
  );
  for (let before = -1; before < at.size;) {
    before = at.size;
    for (const line of lines) {
      if (line.filter((place) => at.has(place)).length >= 8) line.forEach((p) => at.add(p));
    }
  }
  return at.size === SQUARE_SHARES;
}
