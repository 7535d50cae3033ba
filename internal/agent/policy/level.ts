/**
 * The autonomy level: each effect runs from one level on, asks a person at the level below that, and
 * is refused under it. Reading never asks.
 */
import type { Effect } from "#internal/mcp/mod.ts";
import { EFFECT_WORDS } from "./_step.ts";
import type { PolicyStep } from "./_step.ts";

/** For each effect: the level it runs from, the level it asks at. */
const TABLE: Readonly<Record<Effect, { runsFrom: number; asksAt?: number }>> = {
  read: { runsFrom: 1 },
  write: { runsFrom: 3, asksAt: 2 },
  external: { runsFrom: 5, asksAt: 4 },
  spend: { runsFrom: 6, asksAt: 5 },
};

/** Money is asked about one payment at a time; everything else may be approved for a session. */
export const level: PolicyStep = {
  name: "level",
  judge({ effect, state }) {
    const at = state.settings?.autonomy ?? 0;
    const { runsFrom, asksAt } = TABLE[effect];
    const word = EFFECT_WORDS[effect];
    if (at >= runsFrom) return undefined;
    if (at === asksAt) {
      return {
        answer: "ask",
        why: `${word} at autonomy L${at}`,
        standing: effect !== "spend",
      };
    }
    const asks = asksAt === undefined ? "" : `waits for a person at L${asksAt} and `;
    return {
      answer: "refuse",
      why: `${word} is refused at autonomy L${at}: it ${asks}runs from L${runsFrom} on`,
    };
  },
};
