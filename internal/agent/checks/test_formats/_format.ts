/** How a runner of tests prints what came of them. One file a format; `mod.ts` lists them. */

/** What came of the tests. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Names of those that failed, as the runner gives them. */
  readonly failures: readonly string[];
}

/** Reads the whole output of a run, without colours. */
export interface TestFormat {
  readonly name: string;
  /** The counts; nothing when the output is another format's. */
  read(output: string): TestCounts | undefined;
}

/** The sum of a number in all matches; nothing where there is none. */
export function sumOf(output: string, pattern: RegExp): number | undefined {
  const found = [...output.matchAll(pattern)].map(([, number]) => Number(number));
  return found.length === 0 ? undefined : found.reduce((sum, number) => sum + number, 0);
}

/** The first group of all matches, each once. */
export function namesOf(output: string, pattern: RegExp): string[] {
  return [...new Set([...output.matchAll(pattern)].map(([, name = ""]) => name.trim()))];
}
