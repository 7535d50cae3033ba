import { leftLeases, removeLeftLeases } from "#internal/store/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** Sessions that a process held when it was killed. Locks of folders go with their processes. */
export const locks: Check = {
  name: "locks",
  ofAgents: true,
  run({ home }) {
    const left = leftLeases(home);
    const [first] = left;
    if (first === undefined) return fine("nothing is held by a process that is gone");
    const many = left.length > 1 ? ` and ${left.length - 1} more` : "";
    return look(
      `session ${first.session}${many} was held by process ${first.pid}, which is gone`,
      `\`sion agent continue ${first.session}\` goes on with it; --fix lets it go`,
      [{
        does: `let go of ${left.length} ${left.length === 1 ? "session" : "sessions"}`,
        run: () => Promise.resolve(void removeLeftLeases(home)),
      }],
    );
  },
};
