import { countPending } from "#internal/store/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** A transaction that was just sent is somebody's business still, ms. */
const RECENT_MS = 60_000;

/** Transactions that were signed and whose end nobody asked for. */
export const pending: Check = {
  name: "pending",
  ofAgents: false,
  run({ home, clock }) {
    const n = countPending(home, clock.nowMs() - RECENT_MS);
    if (n === 0) return fine("no transaction waits to be looked after");
    return look(
      `${n} signed ${n === 1 ? "transaction has" : "transactions have"} no known end`,
      "the next command that signs with that wallet goes on with them; `sion receipt` asks",
    );
  },
};
