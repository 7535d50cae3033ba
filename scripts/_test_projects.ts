/** Which test file belongs to which project of the runner; the configuration and `scripts/test` agree by it. */

/**
 * `unit` needs no process of its own, `sim` runs the system by many seeds or with many broken rules,
 * `tooling` is what runs once, `e2e` drives the programs.
 */
export type TestProject = "unit" | "sim" | "tooling" | "e2e";

/**
 * One run of these is all there is: scripts choose their own runtime, and that a broken rule of an executor
 * is noticed says something of the tests, not of a runtime. What both executors say is tested on each.
 */
export const RUN_ONCE: readonly string[] = [
  "test/e2e/build.test.ts",
  "test/e2e/demo.test.ts",
  "test/e2e/docs.test.ts",
  "test/proofs/stack_a_mutants.test.ts",
  "test/proofs/stack_b_mutants.test.ts",
];

/** These run the system many times over, as the simulator does, and would be most of a unit run. */
export const OF_MANY_RUNS: readonly string[] = [
  "test/consensus/faults.test.ts",
  "test/fuzz/decoders.test.ts",
  // These replace a module, so they have a process of their own.
  "test/node/crash_points.test.ts",
  "test/runtime/power_loss.test.ts",
];

/**
 * Deno runs none of these, since what they show is what other programs say and read (compilers and test runners, git, bash,
 * container engines), or that tests notice broken rules. How each runtime starts programs is shown by others.
 */
export const ON_NODE_ALONE: readonly string[] = [
  "test/agent/checks.test.ts",
  "test/agent/patch_git.test.ts",
  "test/cli/completion.test.ts",
  "test/cli/doctor.test.ts",
  "test/sim/broken_rules.test.ts",
];

/**
 * These take longest, each project's longest first. They are begun before the others, which the runner knows only
 * by their sizes: one that begins last leaves all processors but one idle.
 */
export const LONGEST: readonly string[] = [
  "test/e2e/docs.test.ts",
  "test/tooling/bench.test.ts",
  "test/e2e/build.test.ts",
  "test/tooling/injection.test.ts",
  "test/e2e/skills_cli.test.ts",
  "test/e2e/agent_crash.test.ts",
  "test/e2e/stake_cli.test.ts",
  "test/e2e/recorded_calls.test.ts",
  "test/e2e/storage.test.ts",
  "test/e2e/network.test.ts",
  "test/e2e/cli.test.ts",
  "test/sim/seeds_even.test.ts",
  "test/runtime/power_loss.test.ts",
  "test/agent/checks.test.ts",
  "test/sandbox/probes.test.ts",
  "test/store/write_points.test.ts",
  "test/node/node.test.ts",
  "test/sandbox/run_program.test.ts",
  "test/sandbox/docker.test.ts",
  "test/cli/doctor.test.ts",
  "test/client/recovery.test.ts",
  "test/node/rotate_key.test.ts",
  "test/node/lies.test.ts",
];

/** The project of a test file, by its path from the repository's folder. */
export function projectOf(path: string): TestProject {
  if (path.startsWith("test/tooling/") || RUN_ONCE.includes(path)) return "tooling";
  if (path.startsWith("test/e2e/")) return "e2e";
  return path.startsWith("test/sim/") || OF_MANY_RUNS.includes(path) ? "sim" : "unit";
}
