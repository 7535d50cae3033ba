import { namesOf } from "./_format.ts";
import type { TestFormat } from "./_format.ts";

/** Of Python's own `unittest`. */
export const unittest: TestFormat = {
  name: "unittest",
  read(output) {
    const ran = /^Ran (\d+) tests? in /m.exec(output)?.[1];
    if (ran === undefined) return undefined;
    const line = /^FAILED \((.*)\)$/m.exec(output)?.[1] ?? "";
    const number = (word: string): number =>
      Number(new RegExp(`${word}=(\\d+)`).exec(line)?.[1] ?? 0);
    const failed = number("failures") + number("errors");
    const skipped = Number(/skipped=(\d+)/.exec(output)?.[1] ?? 0);
    const failures = namesOf(output, /^(?:FAIL|ERROR): (\S.*)$/gm);
    return { passed: Math.max(0, Number(ran) - failed - skipped), failed, failures };
  },
};
