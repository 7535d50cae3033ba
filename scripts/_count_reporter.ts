/**
 * The test runner's counts, for `readOutcome`: in the file that `SION_TEST_REPORT` names. The
 * runner's own JSON report says a line about itself for each stage.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import type { Reporter, TestModule } from "vitest/node";
import type { Report } from "./_test_results.ts";

/** Loaded by the test runner, by its path. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    writeFileSync(
      process.env["SION_TEST_REPORT"] ?? "/dev/null",
      JSON.stringify(reportOf(modules)),
    );
  }
}

function reportOf(modules: readonly TestModule[]): Report {
  const tests = modules.map((module) => [...module.children.allTests()]);
  const count = (state: string): number =>
    tests.flat().filter((test) => test.result().state === state).length;
  return {
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    numPendingTests: count("skipped") + count("pending"),
    testResults: modules.map((module, at) => ({
      name: module.moduleId,
      status: module.state(),
      tests: (tests[at] ?? []).length,
    })),
  };
}
