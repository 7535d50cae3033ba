import type { TestRunner } from "./_runner.ts";

export const makeTest: TestRunner = {
  name: "make test",
  claims: ({ makefile }) => makefile !== undefined && /^test\s*:/m.test(makefile),
  command: () => "make test",
};
