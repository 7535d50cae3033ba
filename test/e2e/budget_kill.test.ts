/** Ten processes draw on one budget, and some of them are killed on their way. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBudgets } from "#internal/store/mod.ts";
import { runtimeCommand, start } from "./_child.ts";

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
  const child = (n: number, ...fatal: string[]) =>
    start(runtimeCommand("_budget_child.ts", home, String(n * 7 + 1), ...fatal)).ended;
  // Alone, so that there is enough for its first request however slow the machine is.
  expect((await child(0, "1")).signal).toBe("SIGKILL");
  // Every third one in the middle of its second, third or fourth request.
  const ends = await Promise.all(
    Array.from(
      { length: PROCESSES - 1 },
      (_, n) => n % 3 === 0 ? child(n + 1, String(n / 3 + 2)) : child(n + 1),
    ),
  );
  for (const [n, { code, signal, stderr }] of ends.entries()) {
    if (signal !== "SIGKILL") {
      expect({ code, stderr }, `child ${n}`).toEqual({ code: 0, stderr: "" });
    }
  }
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
