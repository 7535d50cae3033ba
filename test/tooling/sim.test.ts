/** `scripts/sim`: what it prints for good and for broken rules, and its exit codes. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, run } from "../../scripts/_project.ts";

const sim = (...args: string[]) => run([join(ROOT, "scripts/sim"), ...args]);

test("scripts/sim runs seeds, prints the rate and what happened in them", async () => {
  const { code, stdout } = await sim("--seeds", "3", "--from", "5");
  expect(stdout).toMatch(/^3 seeds, \d+\.\d a second: no promise broken\n\d+ rounds, \d+ pulses, /);
  expect(code).toBe(0);
});

test("scripts/sim prints a failing seed's replay and a shorter schedule, and the replay fails", async () => {
  const { code, stdout } = await sim("--rules", "quorum-of-two", "--from", "20", "--seeds", "40");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^seed \d+ broke a promise: \w+/m);
  const [, from, to] = /shrunk from (\d+) events to (\d+)/.exec(stdout) ?? [];
  expect(Number(to)).toBeLessThan(Number(from));
  const replay = /^replay: scripts\/sim (.*)$/m.exec(stdout)?.[1]?.split(" ") ?? [];
  const again = await sim(...replay, "--no-shrink");
  expect(again.code).toBe(1);
  expect(again.stdout).toContain("VIOLATION");
});

test("scripts/sim --trace prints the same lines each time", async () => {
  const first = await sim("--seed", "7", "--trace");
  expect(first.code).toBe(0);
  expect(first.stdout).toContain(" healed\n");
  expect((await sim("--seed", "7", "--trace")).stdout).toBe(first.stdout);
});

test("scripts/sim refuses what it does not know with exit code 2", async () => {
  for (const args of [["--seeds", "many"], ["--rules", "none"], ["--nonsense"]]) {
    const { code, output } = await sim(...args);
    expect(code, args.join(" ")).toBe(2);
    expect(output).toMatch(/^error: /);
  }
});
