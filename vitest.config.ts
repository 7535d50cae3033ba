/**
 * Which tests there are, for Node and Deno alike. `unit` is everything that needs no process of its
 * own; `sim` many runs of the system; `tooling` what runs once, as the project's own scripts do; `e2e` the real
 * programs.
 *
 * Processes and not threads, because Deno's worker threads lack what the runner uses. Unit tests
 * share a process (`isolate: false`): loading modules is most of their time, and modules here have
 * no side effects.
 */
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/_longest_first.ts";
import { OF_MANY_RUNS, ON_NODE_ALONE, RUN_ONCE } from "./scripts/_test_projects.ts";

/** Only a test that hangs takes this long; a slow machine must not decide one. */
const HANG_MS = 180_000;
/** As long for what a test waits for with `expect.poll`, so that the wait says what did not come. */
const WAITING = { poll: { timeout: HANG_MS / 2, interval: 20 } };

/** What this runtime leaves to the other. */
const NOT_HERE = "Deno" in globalThis ? ON_NODE_ALONE : [];

export default defineConfig({
  test: {
    pool: "forks",
    // One more than the processors it is made for, since tests wait for programs, disks and clocks.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/e2e/**",
            "test/sim/**",
            "test/tooling/**",
            ...OF_MANY_RUNS,
            ...RUN_ONCE,
            ...NOT_HERE,
          ],
          isolate: false,
          testTimeout: HANG_MS,
          expect: WAITING,
          hookTimeout: HANG_MS,
        },
      },
      {
        test: {
          name: "sim",
          include: ["test/sim/**/*.test.ts", ...OF_MANY_RUNS],
          exclude: [...NOT_HERE],
          testTimeout: HANG_MS,
          expect: WAITING,
        },
      },
      {
        test: {
          name: "tooling",
          include: ["test/tooling/**/*.test.ts", ...RUN_ONCE],
          testTimeout: HANG_MS,
          expect: WAITING,
          hookTimeout: HANG_MS,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: [...RUN_ONCE, ...NOT_HERE],
          testTimeout: HANG_MS,
          expect: WAITING,
          hookTimeout: HANG_MS,
        },
      },
    ],
  },
});
