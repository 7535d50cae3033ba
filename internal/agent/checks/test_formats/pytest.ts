import { namesOf } from "./_format.ts";
import type { TestFormat } from "./_format.ts";

export const pytest: TestFormat = {
  name: "pytest",
  read(output) {
    const last = /^(?:=+ )?((?:\d+ \w+(?:, )?)+) in [\d.]+s\b/gm;
    const line = [...output.matchAll(last)].at(-1)?.[1];
    if (line === undefined) return undefined;
    const number = (word: RegExp): number => Number(word.exec(line)?.[1] ?? 0);
    const failures = namesOf(output, /^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$/gm);
    const failed = number(/(\d+) failed/) + number(/(\d+) errors?/);
    return { passed: number(/(\d+) passed/), failed, failures };
  },
};
