/** What a benchmark is, and the statistics they share. */

/** A benchmark: measures once, within minutes, and returns what it found as plain numbers. */
export type Bench = {
  readonly name: string;
  /** One line for the list. */
  readonly brief: string;
  /** @throws {Error} when it could not measure. */
  readonly run: () => Promise<Readonly<Record<string, unknown>>>;
};

/** The middle and the ends of some measurements, rounded to a tenth. */
export type Spread = {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly n: number;
};

/** @throws {Error} when nothing was measured. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [min, max, median] = [sorted[0], sorted.at(-1), sorted[Math.floor(sorted.length / 2)]];
  if (min === undefined || max === undefined || median === undefined) {
    throw new Error("Cannot summarise: nothing was measured");
  }
  return { median: tenth(median), min: tenth(min), max: tenth(max), n: sorted.length };
}

/** Rounds to one decimal. */
export function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Runs something and returns what it took, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
