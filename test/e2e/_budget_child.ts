/**
 * Requests one after the other on the budget `lead`, for tests that kill it: `_budget_child.ts HOME
 * SEED`. Its provider writes what it charges into HOME/charged.txt the moment it answers, and a line
 * goes out then. Ends with code 0 when the budget is too little for a request.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { openBudgets } from "#internal/store/mod.ts";

const [home = "", seed = "1"] = process.argv.slice(2);
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
for (;;) {
  const most = 1 + drawn(50_000);
  const reserved = budgets.reserve({ names: ["lead"], session: seed, mostMicro: BigInt(most) });
  if (reserved.how === "exceeded") break;
  await setTimeout(1 + drawn(4));
  if (reserved.how !== "reserved") continue;
  const cost = drawn(most + 1);
  appendFileSync(join(home, "charged.txt"), `${cost}\n`);
  process.stdout.write(`${cost}\n`);
  budgets.settle(reserved.id ?? "", BigInt(cost));
}
budgets.close();
