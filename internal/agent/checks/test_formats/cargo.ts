import { namesOf, sumOf } from "./_format.ts";
import type { TestFormat } from "./_format.ts";

export const cargo: TestFormat = {
  name: "cargo test",
  read(output) {
    const passed = sumOf(output, /^test result: .*?(\d+) passed;/gm);
    const failed = sumOf(output, /^test result: .*? (\d+) failed;/gm);
    if (passed === undefined || failed === undefined) return undefined;
    return { passed, failed, failures: namesOf(output, /^test (\S.*?) \.\.\. FAILED$/gm) };
  },
};
