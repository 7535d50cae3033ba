/** Ends of sessions at which a liar says its vote to one validator alone, by seed. */
import { expect, it } from "vitest";
import { endingPlanOf } from "./ending_plan.ts";
import { run } from "./simulation.ts";
import { isSecondRuntime, share } from "../share.ts";

/** A hang is a failure; how busy the machine is decides nothing. */
const TIMEOUT_MS = 600_000;
const SEEDS = share(60);
const BATCH = Math.min(20, SEEDS);

for (let first = 1; first < SEEDS; first += BATCH) {
  it(
    `run() breaks no promise where sessions end, seeds ${first} to ${
      first + BATCH - 1
    } [L-595 L-596]`,
    () => {
      let sessions = 0;
      for (let seed = first; seed < first + BATCH; seed++) {
        const outcome = run(endingPlanOf(seed));
        const replay = `replay: scripts/sim --plans ending --seed ${seed} --trace`;
        expect(outcome.violation, replay).toBeUndefined();
        sessions += outcome.sessions;
      }
      // Each begins with one. A fifth of the seeds may happen to have fewer ends.
      if (!isSecondRuntime) expect(sessions).toBeGreaterThan(BATCH + BATCH / 2);
    },
    TIMEOUT_MS,
  );
}
