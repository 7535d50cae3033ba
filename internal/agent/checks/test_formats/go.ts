import { namesOf } from "./_format.ts";
import type { TestFormat } from "./_format.ts";

/** Of `go test -v`. A test's parts are its own: they are named when they fail, and not counted. */
export const go: TestFormat = {
  name: "go test",
  read(output) {
    const count = (word: string): number =>
      [...output.matchAll(new RegExp(`^--- ${word}: `, "gm"))].length;
    const broken = namesOf(output, /^FAIL\t(\S+ \[(?:build|setup) failed\])$/gm);
    const [passed, failed] = [count("PASS"), count("FAIL")];
    if (passed + failed + broken.length === 0 && !/^(?:ok|\?) {0,3}\t/m.test(output)) {
      return undefined;
    }
    const failures = namesOf(output, /^ *--- FAIL: (\S+) /gm);
    return { passed, failed: failed + broken.length, failures: [...failures, ...broken] };
  },
};
