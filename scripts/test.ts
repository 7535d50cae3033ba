/**
 * `scripts/test [FILTER...]`: every check, then all tests on Node and on Deno; with a filter (part
 * of a test file's path) only the tests of the files it names. The last line is
 * `N passed, N failed`; the exit code is 0 only when something passed and nothing failed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { filesBelow, ROOT, run, seconds } from "./_project.ts";
import { projectOf, type TestProject } from "./_test_projects.ts";
import { type Missing, type Outcome, readOutcome } from "./_test_results.ts";
import { readWords } from "./_words.ts";

/** One run of the test runner. */
type Stage = {
  readonly name: string;
  readonly runtime: "node" | "deno";
  readonly projects: readonly TestProject[];
  readonly env?: Readonly<Record<string, string>>;
};

/** Longest a stage may take before it counts as hanging. */
const STAGE_LIMIT_MS = 15 * 60_000;

const RUNNER = join(ROOT, "node_modules/vitest/vitest.mjs");
const REPORTER = join(ROOT, "scripts/_count_reporter.ts");
const COMMANDS = {
  node: [process.execPath, RUNNER],
  deno: ["deno", "run", "-A", "--no-check", "--quiet", RUNNER],
};

const STAGES: readonly Stage[] = [
  { name: "unit tests on Node", runtime: "node", projects: ["unit"] },
  { name: "unit tests on Deno", runtime: "deno", projects: ["unit"] },
  { name: "simulations on Node", runtime: "node", projects: ["sim"] },
  { name: "simulations on Deno", runtime: "deno", projects: ["sim"] },
  { name: "scripts and what is built", runtime: "node", projects: ["tooling"] },
  {
    name: "programs, the Node build",
    runtime: "node",
    projects: ["e2e"],
    env: { SION_TEST_PROGRAMS: "build" },
  },
  {
    name: "programs, Deno from source",
    runtime: "deno",
    projects: ["e2e"],
    env: { SION_TEST_PROGRAMS: "source" },
  },
];

/** Whether any test file of the stage's projects matches; the runner takes the same filters. */
function hasTests(stage: Stage, filters: readonly string[]): boolean {
  return filesBelow("test", ".test.ts")
    .map((file) => relative(ROOT, file))
    .filter((file) => stage.projects.includes(projectOf(file)))
    .some((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
}

async function runStage(stage: Stage, filters: readonly string[], folder: string) {
  const report = join(folder, `${stage.name}.json`);
  const missing = join(folder, `${stage.name}.missing`);
  const { code } = await run([
    ...COMMANDS[stage.runtime],
    "run",
    ...stage.projects.map((project) => `--project=${project}`),
    "--passWithNoTests",
    "--reporter=default",
    `--reporter=${REPORTER}`,
    ...filters,
  ], {
    show: true,
    timeoutMs: STAGE_LIMIT_MS,
    env: {
      ...stage.env,
      SION_MISSING_PARTS: missing,
      SION_TEST_REPORT: report,
      // Half of what a program costs that tests start from source is compiling it.
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    },
  });
  return readOutcome(report, missing, code);
}

/** A step that is no test run: one failure when it fails, nothing otherwise. */
async function runStep(name: string, script: string, ...args: string[]): Promise<Outcome> {
  const { code } = await run([process.execPath, join(ROOT, "scripts", script), ...args], {
    show: true,
  });
  const problems = code === 0 ? [] : [`${name} failed`];
  return { passed: 0, failed: problems.length, problems, missing: [] };
}

function tellMissing(all: readonly Missing[]): void {
  for (const part of new Set(all.map((missing) => missing.part))) {
    const untested = new Set(
      all.filter((missing) => missing.part === part).map((missing) => missing.untested),
    );
    console.log(`\nmissing: ${part}. Get it with: scripts/parts ${part}. Not tested without it:`);
    for (const what of untested) console.log(`  ${what}`);
  }
}

async function main(filters: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "sion-test-"));
  const outcomes: Outcome[] = [];
  const summary: string[] = [];
  const step = async (name: string, work: () => Promise<Outcome>): Promise<void> => {
    console.log(`\n=== ${name} ===`);
    const startMs = performance.now();
    const outcome = await work();
    outcomes.push(outcome);
    const counts = `${outcome.passed} passed, ${outcome.failed} failed`;
    const took = seconds(performance.now() - startMs);
    summary.push([`${name}: ${counts}, ${took}`, ...outcome.problems].join("\n  "));
  };
  try {
    if (filters.length === 0) await step("checks", () => runStep("scripts/check", "check.ts"));
    const stages = STAGES.filter((stage) => hasTests(stage, filters));
    if (stages.some((stage) => stage.projects.includes("e2e"))) {
      await step("build", () => runStep("scripts/build npm", "build.ts", "npm"));
    }
    for (const stage of stages) {
      await step(stage.name, () => runStage(stage, filters, folder));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const missing = outcomes.flatMap((outcome) => outcome.missing);
  tellMissing(missing);
  console.log(`\n${summary.join("\n")}\n`);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  let failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  if (missing.length > 0 && process.env["CI"] === "true") failed += 1;
  if (passed === 0 && failed === 0) {
    console.log(`no test ran${filters.length > 0 ? `: no file matches ${filters.join(" ")}` : ""}`);
    failed = 1;
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

const { rest } = readWords({
  usage: "scripts/test [FILTER...]",
  about: [
    "Runs every check, then every test on Node and on Deno. FILTER is a part of a test file's path:",
    "then only the tests of those files run. The last line is `N passed, N failed`.",
  ],
  most: Infinity,
});
process.exitCode = await main(rest);
