import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readOutcome } from "../../scripts/_test_results.ts";

const folder = mkdtempSync(join(tmpdir(), "sion-results-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Counts = { passed?: number; failed?: number; pending?: number };

function report(counts: Counts, files: readonly unknown[] = []): string {
  const file = join(folder, "report.json");
  writeFileSync(
    file,
    JSON.stringify({
      numPassedTests: counts.passed ?? 0,
      numFailedTests: counts.failed ?? 0,
      numPendingTests: counts.pending ?? 0,
      testResults: files,
    }),
  );
  return file;
}

function missing(...lines: string[]): string {
  const file = join(folder, "missing");
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

const NOTHING = join(folder, "none");

test("readOutcome() takes the counts of a run that ended well", () => {
  expect(readOutcome(report({ passed: 7 }), NOTHING, 0))
    .toEqual({ passed: 7, failed: 0, problems: [], missing: [] });
});

test("readOutcome() counts failed tests once, whatever the exit code", () => {
  expect(readOutcome(report({ passed: 7, failed: 2 }), NOTHING, 1)).toMatchObject({ failed: 2 });
});

test("readOutcome() counts a runner that left no report as a failure", () => {
  expect(readOutcome(NOTHING, NOTHING, 0)).toMatchObject({ passed: 0, failed: 1 });
});

test("readOutcome() counts a file that could not be loaded as a failure", () => {
  const file = { name: "broken.test.ts", status: "failed", tests: 0 };
  expect(readOutcome(report({ passed: 3 }, [file]), NOTHING, 1))
    .toMatchObject({ failed: 1, problems: ["broken.test.ts could not be run"] });
});

test("readOutcome() counts an error that no test reports as a failure", () => {
  expect(readOutcome(report({ passed: 3 }), NOTHING, 1)).toMatchObject({ passed: 3, failed: 1 });
});

test("readOutcome() counts a skipped test as a failure unless a part is missing", () => {
  expect(readOutcome(report({ passed: 3, pending: 1 }), NOTHING, 0)).toMatchObject({ failed: 1 });
  const part = JSON.stringify({ part: "tmux", untested: "the prompt" });
  expect(readOutcome(report({ passed: 3, pending: 1 }), missing(part, part), 0))
    .toMatchObject({ failed: 0, missing: [{ part: "tmux", untested: "the prompt" }] });
});
