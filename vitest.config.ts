/**
 * Which tests there are, for Node and Deno alike. `unit` is everything that needs no process of its
 * own; `tooling` drives the project's own scripts; `e2e` drives the real programs.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/tooling/**"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "tooling",
          include: ["test/tooling/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
