/** Reads what one run of the test runner left behind, and counts what its own counts leave out. */
import { existsSync, readFileSync } from "node:fs";

/** What a run of the test runner came to; a test that was passed over or is to be written is pending. */
export type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** How many tests the file has; 0 when it could not be loaded. */
    readonly tests: number;
  }[];
};

/** One missing program of the system and what could not be tested without it. */
export type Missing = { readonly part: string; readonly untested: string };

/** What came of one run. `problems` are failures that no single test stands for. */
export type Outcome = {
  readonly passed: number;
  readonly failed: number;
  readonly problems: readonly string[];
  readonly missing: readonly Missing[];
};

/**
 * Counts a run. A file that could not be loaded, a runner that died or ended with an error that no
 * test reports, and tests passed over though no part is missing, each count as one failure.
 */
export function readOutcome(reportFile: string, missingFile: string, exitCode: number): Outcome {
  const missing = existsSync(missingFile) ? readMissing(missingFile) : [];
  if (!existsSync(reportFile)) {
    const problems = [`the test runner ended with code ${exitCode} and without a report`];
    return { passed: 0, failed: 1, problems, missing };
  }
  const report = JSON.parse(readFileSync(reportFile, "utf8")) as Report;
  const problems = report.testResults
    .filter((file) => file.status === "failed" && file.tests === 0)
    .map((file) => `${file.name} could not be run`);
  const skipped = report.numPendingTests;
  if (skipped > 0 && missing.length === 0) {
    problems.push(`${skipped} skipped, though no part is missing`);
  }
  if (exitCode !== 0 && report.numFailedTests === 0 && problems.length === 0) {
    problems.push(`the test runner ended with code ${exitCode}, though no test failed`);
  }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + problems.length,
    problems,
    missing,
  };
}

function readMissing(file: string): Missing[] {
  const lines = new Set(readFileSync(file, "utf8").split("\n").filter((line) => line !== ""));
  return [...lines].map((line) => JSON.parse(line) as Missing);
}
