/**
 * Requests one after the other on the budget `lead`: `_budget_child.ts HOME SEED [FATAL]`. Its
 * provider writes what it charges into HOME/charged.txt the moment it answers. The process kills
 * itself in the middle of request number FATAL, an odd one before it is charged, an even one after;
 * else it ends with code 0 when the budget is too little for a request.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { openBudgets } from "#internal/store/mod.ts";

const [home = "", seed = "1", fatal] = process.argv.slice(2);
let draw = Number(seed);

/** The next of a run of numbers that the seed begins, below `n`. */
function drawn(n: number): number {
  draw = (draw * 1_103_515_245 + 12_345) % 2_147_483_648;
  return draw % n;
}

const budgets = openBudgets(home, {
  clock: { nowMs: () => Date.now() },
  random: (n) => crypto.getRandomValues(new Uint8Array(n)),
});
for (let request = 1;; request++) {
  const most = 1 + drawn(50_000);
  const reserved = budgets.reserve({ names: ["lead"], session: seed, mostMicro: BigInt(most) });
  if (reserved.how === "exceeded") break;
  await setTimeout(1 + drawn(4));
  if (reserved.how !== "reserved") continue;
  const cost = drawn(most + 1);
  const isLast = request === Number(fatal);
  if (isLast && request % 2 === 1) process.kill(process.pid, "SIGKILL");
  appendFileSync(join(home, "charged.txt"), `${cost}\n`);
  if (isLast) process.kill(process.pid, "SIGKILL");
  budgets.settle(reserved.id ?? "", BigInt(cost));
}
budgets.close();
