import { namesOf, sumOf } from "./_format.ts";
import type { TestFormat } from "./_format.ts";

export const mocha: TestFormat = {
  name: "mocha",
  read(output) {
    const passed = sumOf(output, /^ {2}(\d+) passing\b/gm);
    if (passed === undefined) return undefined;
    const failed = sumOf(output, /^ {2}(\d+) failing\b/gm) ?? 0;
    const list = output.slice(output.lastIndexOf(" failing"));
    const failures = failed === 0 ? [] : namesOf(list, /^ {2}\d+\) (\S.*?):?$/gm);
    return { passed, failed, failures };
  },
};
