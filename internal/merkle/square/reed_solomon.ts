/**
 * Systematic Reed–Solomon codes by interpolation: byte i of share p is the value at the point p of
 * the one polynomial of degree below k through byte i of the k data shares. So any k shares give
 * all others. The same code comes from a Vandermonde matrix over the points 0, 1, … made systematic.
 */
import { inverse, multiply } from "./field.ts";

/** One row of coefficients for each share wanted, one coefficient for each share known. */
export type Matrix = readonly Uint8Array[];

/**
 * The matrix that makes the shares at the points `wanted` of those at the points `known`, as many as
 * there are data shares, all distinct: Lagrange's coefficients.
 * @throws {RangeError} when a point is known twice.
 */
export function recoveryMatrix(known: readonly number[], wanted: readonly number[]): Matrix {
  const scale = known.map((point) =>
    inverse(product(known.map((other) => other === point ? 1 : point ^ other)))
  );
  if (new Set(known).size !== known.length) {
    throw new RangeError("Cannot interpolate: a point is known twice");
  }
  return wanted.map((at) =>
    Uint8Array.from(known, (point, i) => {
      const factors = known.map((other) => other === point ? 1 : at ^ other);
      return multiply(product(factors), scale[i] as number);
    })
  );
}

function product(factors: readonly number[]): number {
  return factors.reduce(multiply, 1);
}
