/** Pace of simulated validators. */
import type { Tuning } from "#internal/consensus/mod.ts";
import { DEFAULT_TUNING } from "#internal/consensus/mod.ts";

/** As the product's, but some ten times faster. */
export const SIM_TUNING: Tuning = {
  ...DEFAULT_TUNING,
  burst: 3,
  refillMs: 8,
  loadedMs: 16,
  gatherMs: 4,
  recentMs: 50,
  trailMs: 15,
  allMs: 15,
  restMs: 30,
  leaderMs: 30,
  leaderMaxMs: 240,
  idle: [{ afterMs: 0, everyMs: 25 }, { afterMs: 400, everyMs: 60 }],
  retryMs: 60,
};
