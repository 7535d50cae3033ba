import { namesOf, sumOf } from "./_format.ts";
import type { TestFormat } from "./_format.ts";

/** Of `node --test`: for people at a terminal, as TAP elsewhere in older versions. */
export const nodeTest: TestFormat = {
  name: "node:test",
  read(output) {
    const passed = sumOf(output, /^(?:ℹ|#) pass (\d+)$/gm);
    const failed = sumOf(output, /^(?:ℹ|#) fail (\d+)$/gm);
    if (passed === undefined || failed === undefined) return undefined;
    const failures = namesOf(
      output,
      /^ *(?:✖ (?!failing tests:)(.+?) \([\d.]+ms\)|not ok \d+ - (.+))$/gm,
    );
    const tap = namesOf(output, /^ *not ok \d+ - (.+)$/gm);
    return { passed, failed, failures: failures.filter((name) => name !== "").concat(tap) };
  },
};
