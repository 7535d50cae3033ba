/**
 * The field GF(2⁸) of the polynomial x⁸ + x⁴ + x³ + x² + 1 (0x11d), in which addition is exclusive
 * or. Reed–Solomon codes of storage systems use the same one.
 */

/** The field's polynomial, without which x⁸ would not fit a byte. */
const POLYNOMIAL = 0x11d;
/** Order of the multiplicative group; x generates it. */
const ORDER = 255;

interface Tables {
  /** Powers of x, twice over, so that a sum of two logarithms needs no reduction. */
  readonly power: Uint8Array;
  readonly logarithm: Uint8Array;
}

let tables: Tables | undefined;

/** Product of two elements. */
export function multiply(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  const { power, logarithm } = fieldTables();
  return power[(logarithm[a] as number) + (logarithm[b] as number)] as number;
}

/** Inverse of an element. @throws {RangeError} of 0, which has none. */
export function inverse(a: number): number {
  if (a === 0) throw new RangeError("Cannot invert: 0 has no inverse");
  const { power, logarithm } = fieldTables();
  return power[ORDER - (logarithm[a] as number)] as number;
}

function fieldTables(): Tables {
  if (tables !== undefined) return tables;
  const power = new Uint8Array(2 * ORDER);
  const logarithm = new Uint8Array(ORDER + 1);
  let value = 1;
  for (let i = 0; i < ORDER; i++) {
    power[i] = value;
    power[i + ORDER] = value;
    logarithm[value] = i;
    value <<= 1;
    if (value > ORDER) value ^= POLYNOMIAL;
  }
  return tables = { power, logarithm };
}
