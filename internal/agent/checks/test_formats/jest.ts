import { namesOf } from "./_format.ts";
import type { TestFormat } from "./_format.ts";

/** Of Jest, whose last lines count, and vitest's, which are nearly the same. */
export const jest: TestFormat = {
  name: "jest, vitest",
  read(output) {
    const [counts] = [...output.matchAll(/^ *Tests:? +(.*(?:passed|failed).*)$/gm)].slice(-1);
    const line = counts?.[1];
    if (line === undefined) return undefined;
    const number = (word: string): number =>
      Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
    const failures = namesOf(output, /^ *(?:● |FAIL {2})(\S.*(?: › | > ).+?)(?: \d+ms)?$/gm);
    return { passed: number("passed"), failed: number("failed"), failures };
  },
};
