/** `scripts/fuzz`: what it prints, and its exit codes. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, run } from "../../scripts/_project.ts";

const fuzz = (...args: string[]) => run([join(ROOT, "scripts/fuzz"), ...args]);

test("scripts/fuzz feeds the decoders that are named and says that they stand", async () => {
  const { code, stdout } = await fuzz("--inputs", "50", "--seed", "7", "a greeting");
  expect(stdout).toBe("a greeting: stands\n");
  expect(code).toBe(0);
});

test("scripts/fuzz refuses what it does not know with exit code 2", async () => {
  for (const args of [["--inputs", "many"], ["no such decoder"], ["--nonsense"]]) {
    const { code, output } = await fuzz(...args);
    expect(code, args.join(" ")).toBe(2);
    expect(output).toMatch(/^error: /);
  }
});
