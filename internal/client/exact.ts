/** Integers for values that people and programs read as JSON. */

/** A number where it is exact; JSON writes both alike. */
export function exact(value: bigint): number | bigint {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
