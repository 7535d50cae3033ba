/** What a benchmark is, and the statistics they share. */

/** A benchmark: measures once, within minutes, and returns what it found as plain numbers. */
export type Bench = {
  readonly name: string;
  /** One line for the list. */
  readonly brief: string;
  /** Figures that can be asked for alone by `--only`. @default none */
  readonly keys?: readonly string[];
  /** @throws {Error} when it could not measure. */
  readonly run: (options: BenchOptions) => Promise<Readonly<Record<string, unknown>>>;
  /** What people are shown of the result. @default the result itself */
  readonly show?: (result: Readonly<Record<string, unknown>>) => readonly string[];
};

/** How a benchmark is to measure, for who works on what it measures. */
export type BenchOptions = {
  /** The figures that are wanted; undefined is all. */
  readonly only: ReadonlySet<string> | undefined;
  /** Little of everything: shows that it works, not how fast. */
  readonly quick: boolean;
  /** Handed what tells all that is found so far: it is printed if the time runs out. */
  readonly onBegin: (found: () => Readonly<Record<string, unknown>>) => void;
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

/** The value below which a share of the measurements lies. @throws {Error} when nothing was measured. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("Cannot summarise: nothing was measured");
  return value;
}

/** Rounds to three decimals. */
export function thousandth(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Parts of a benchmark that could not measure, and why; the others' figures stand without them. */
export type Failures = Record<string, string>;

/** Runs a part of a benchmark: one that fails is noted and costs its own figures only. */
export async function attempt(
  failures: Failures,
  part: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    failures[part] = error instanceof Error ? error.message : String(error);
    progress(`${part} could not measure: ${failures[part]}`);
  }
}

/** Says on stderr what goes on. */
export function progress(text: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}`);
}
