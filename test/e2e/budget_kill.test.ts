/** Ten processes draw on one budget, and some of them are killed on their way. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBudgets } from "#internal/store/mod.ts";
import { runtimeCommand, signalTo, start } from "./_child.ts";

const PROCESSES = 10;
/** Micro-USD. */
const LIMIT = 400_000n;

test("a shared budget: ten processes never cost more than it together, and what is killed under way stays counted", async () => {
  const home = mkdtempSync(join(tmpdir(), "sion-budget-kill-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const budgets = openBudgets(home, {
    clock: { nowMs: () => Date.now() },
    random: (n) => new Uint8Array(n),
  });
  onTestFinished(() => budgets.close());
  budgets.set({ name: "lead", limitMicro: LIMIT, per: "total", zone: "UTC" });
  const children = Array.from(
    { length: PROCESSES },
    (_, n) => start(runtimeCommand("_budget_child.ts", home, String(n * 7 + 1))),
  );
  // Every third one, in the middle of whatever its first, second, … answer leads to.
  for (const [n, child] of children.entries()) {
    if (n % 3 !== 0) continue;
    await child.until(() => child.stdout().split("\n").length > 1 + n / 3).catch(() => {});
    signalTo(child, "SIGKILL");
  }
  const ends = await Promise.all(children.map(({ ended }) => ended));
  for (const [n, { code, signal, stderr }] of ends.entries()) {
    if (signal !== "SIGKILL") {
      expect({ code, stderr }, `child ${n}`).toEqual({ code: 0, stderr: "" });
    }
  }
  expect(ends.filter(({ signal }) => signal === "SIGKILL").length).toBeGreaterThan(0);
  const charged = readFileSync(join(home, "charged.txt"), "utf8").trim().split("\n")
    .reduce((sum, line) => sum + BigInt(line), 0n);
  const [lead] = budgets.list();
  const { spentMicro = 0n, openMicro, unknownMicro = 0n } = lead ?? {};
  // No more was charged than counts, no more counts than there is, and only what was killed counts
  // for more than it cost.
  expect(charged).toBeLessThanOrEqual(spentMicro);
  expect(spentMicro).toBeLessThanOrEqual(LIMIT);
  expect(openMicro).toBe(0n);
  expect(spentMicro - charged).toBeLessThanOrEqual(unknownMicro);
  expect(LIMIT - spentMicro).toBeLessThan(50_001n);
});
