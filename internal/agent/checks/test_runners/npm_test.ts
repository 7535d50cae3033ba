import type { TestRunner } from "./_runner.ts";

/** What `npm init` writes where nobody has written tests. */
const NONE = /no test specified/;

export const npmTest: TestRunner = {
  name: "npm test",
  claims({ manifest }) {
    const script = manifest?.scripts?.["test"];
    return typeof script === "string" && !NONE.test(script);
  },
  command: (_project, filter) =>
    `CI=1 npm test --silent${filter === undefined ? "" : ` -- ${filter}`}`,
};
