/**
 * What the second runtime repeats: Node runs all cases, Deno the same tests with a part of the cases where hundreds are of
 * one kind and no runtime can tell them apart. See docs/decisions/0056-what-the-second-runtime-repeats.md.
 */

/** Whether this is the runtime that repeats. */
export const isSecondRuntime: boolean = "Deno" in globalThis;

/** One of so many cases is repeated. */
const ONE_OF = 5;

/** How many of many cases of one kind run here: all, or a fifth. */
export function share(cases: number): number {
  return isSecondRuntime ? Math.ceil(cases / ONE_OF) : cases;
}

/** Those of many cases of one kind that run here: all, or every fifth from the first. */
export function shareOf<T>(cases: readonly T[]): readonly T[] {
  return cases.filter((_, index) => !isSecondRuntime || index % ONE_OF === 0);
}
