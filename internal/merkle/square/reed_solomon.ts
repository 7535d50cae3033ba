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
  if (new Set(known).size !== known.length) {
    throw new RangeError("Cannot interpolate: a point is known twice");
  }
  const scale = known.map((point) => inverse(distances(point, known)));
  return wanted.map((at) => {
    if (known.includes(at)) return Uint8Array.from(known, (point) => point === at ? 1 : 0);
    // Lagrange's numerator for a point is the product of all distances but the one to it.
    const all = distances(at, known);
    return Uint8Array.from(
      known,
      (point, i) => multiply(multiply(all, inverse(at ^ point)), scale[i] as number),
    );
  });
}

/** Product of the distances from a point to all others of a set. */
function distances(from: number, points: readonly number[]): number {
  let product = 1;
  for (const point of points) {
    if (point !== from) product = multiply(product, point ^ from);
  }
  return product;
}
