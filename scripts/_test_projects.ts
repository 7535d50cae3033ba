/** Which test file belongs to which project of the runner; the configuration and `scripts/test` agree by it. */

/**
 * `unit` needs no process of its own, `sim` runs the system by many seeds or with many broken rules,
 * `tooling` drives scripts, `e2e` drives the programs.
 */
export type TestProject = "unit" | "sim" | "tooling" | "e2e";

/** These drive scripts that choose their own runtime, so one run of them is all there is. */
export const OF_SCRIPTS: readonly string[] = [
  "test/e2e/build.test.ts",
  "test/e2e/demo.test.ts",
  "test/e2e/docs.test.ts",
];

/** These run the system many times over, as the simulator does, and would be most of a unit run. */
export const OF_MANY_RUNS: readonly string[] = [
  "test/consensus/faults.test.ts",
  "test/fuzz/decoders.test.ts",
  "test/proofs/stack_a_mutants.test.ts",
  "test/proofs/stack_b_mutants.test.ts",
  // These replace a module, so they have a process of their own.
  "test/node/crash_points.test.ts",
  "test/runtime/power_loss.test.ts",
];

/** The project of a test file, by its path from the repository's folder. */
export function projectOf(path: string): TestProject {
  if (path.startsWith("test/tooling/") || OF_SCRIPTS.includes(path)) return "tooling";
  if (path.startsWith("test/e2e/")) return "e2e";
  return path.startsWith("test/sim/") || OF_MANY_RUNS.includes(path) ? "sim" : "unit";
}
