/** Reading the vector files, and the randomness that tests hand in. */
import { readFileSync } from "node:fs";

/** The rows of a JSON file under fixtures/. */
export function fixture<Row>(path: string): readonly Row[] {
  const url = new URL(`../../fixtures/${path}`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as readonly Row[];
}

/** Always the same bytes: 1, 2, 3, … */
export function fixedRandom(n: number): Uint8Array {
  return Uint8Array.from({ length: n }, (_, i) => i + 1);
}

/** A copy with one bit turned. */
export function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = bytes.slice();
  changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
  return changed;
}

/** Whether this is Deno, whose `node:crypto` has no post-quantum signatures. */
export const isDeno: boolean = "Deno" in globalThis;
