/** The runners of tests. A new one is a file and a line here. */
import type { Project } from "../project.ts";
import type { TestRunner } from "./_runner.ts";
import { cargoTest } from "./cargo_test.ts";
import { goTest } from "./go_test.ts";
import { makeTest } from "./make_test.ts";
import { npmTest } from "./npm_test.ts";
import { pytest } from "./pytest.ts";

export type { TestRunner } from "./_runner.ts";

const testRunners: readonly TestRunner[] = [cargoTest, goTest, npmTest, pytest, makeTest];

/** Those that run a project's tests; `make` only where nothing else does, since it calls the others. */
export function runnersFor(project: Project): readonly TestRunner[] {
  const found = testRunners.filter((runner) => runner.claims(project));
  return found.length > 1 ? found.filter((runner) => runner !== makeTest) : found;
}
