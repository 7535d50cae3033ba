/**
 * The autonomy level: each effect runs from one level on, asks a person at the level below that, and
 * is refused under it. Reading never asks.
 */
import type { Effect } from "#internal/mcp/mod.ts";
import type { PolicyStep } from "./_step.ts";

/** For each effect: what it is called, the level it runs from, the level it asks at. */
const TABLE: Readonly<Record<Effect, { word: string; runsFrom: number; asksAt?: number }>> = {
  read: { word: "reading", runsFrom: 1 },
  write: { word: "writing", runsFrom: 3, asksAt: 2 },
  external: { word: "reaching outside", runsFrom: 5, asksAt: 4 },
  spend: { word: "spending", runsFrom: 6, asksAt: 5 },
};

/** Money is asked about one payment at a time; everything else may be approved for a session. */
export const level: PolicyStep = {
  name: "level",
  judge({ effect, state }) {
    const at = state.settings?.autonomy ?? 0;
    const { word, runsFrom, asksAt } = TABLE[effect];
    if (at >= runsFrom) return undefined;
    if (at === asksAt) {
      return {
        answer: "ask",
        why: `${word} at autonomy L${at}`,
        standing: effect === "write",
      };
    }
    const asks = asksAt === undefined ? "" : `waits for a person at L${asksAt} and `;
    return {
      answer: "refuse",
      why: `${word} is refused at autonomy L${at}: it ${asks}runs from L${runsFrom} on`,
    };
  },
};
