/** The code of one row or column: any eight of its sixteen shares give the others. */
import { sha256Many } from "#internal/crypto/mod.ts";
import { LEAF_PREFIX_BYTES } from "../log_hash.ts";
import { combine } from "./combine.ts";
import { treeLevels } from "./commitment.ts";
import type { Matrix } from "./reed_solomon.ts";
import { recoveryMatrix } from "./reed_solomon.ts";
import { DATA_WIDTH, SQUARE_WIDTH } from "./shape.ts";

/** A whole row or column with its tree. */
export interface CompletedAxis {
  readonly shares: readonly Uint8Array[];
  /** Hashes of the shares first, the root last. */
  readonly levels: readonly (readonly Uint8Array[])[];
  readonly root: Uint8Array;
}

const PLACES: readonly number[] = Array.from({ length: SQUARE_WIDTH }, (_, place) => place);

let ofParity: Matrix | undefined;

/**
 * Sets the targets to the parity of eight sources of data. They may be single shares or whole rows
 * of shares: the code works byte by byte.
 */
export function encodeParity(
  sources: readonly Uint8Array[],
  targets: readonly Uint8Array[],
): void {
  ofParity ??= recoveryMatrix(PLACES.slice(0, DATA_WIDTH), PLACES.slice(DATA_WIDTH));
  combine(ofParity, sources, targets);
}

/**
 * The row or column that has these eight shares: by place, in any order, of one size. They stay the
 * caller's arrays, the other eight are new.
 */
export function completeAxis(known: ReadonlyMap<number, Uint8Array>): CompletedAxis {
  const sources = [...known.values()];
  const missing = PLACES.filter((place) => !known.has(place));
  const made = missing.map(() => new Uint8Array(sources[0]?.length ?? 0));
  combine(recoveryMatrix([...known.keys()], missing), sources, made);
  const shares = PLACES.map((place) =>
    (known.get(place) ?? made[missing.indexOf(place)]) as Uint8Array
  );
  const levels = treeLevels(sha256Many(LEAF_PREFIX_BYTES, shares));
  return { shares, levels, root: levels.at(-1)?.[0] as Uint8Array };
}
