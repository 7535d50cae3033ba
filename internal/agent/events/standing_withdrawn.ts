/** What was approved for the session is asked about again. */
import * as z from "zod";
import { defineEvent } from "./_event.ts";

/** Who withdrew it. */
export interface StandingWithdrawn {
  readonly who: string;
}

/** Withdraws everything that persons gave; what skills bring stays theirs. */
export const standingWithdrawn = defineEvent<StandingWithdrawn>({
  kind: "standing-withdrawn",
  v: 1,
  body: () => z.object({ who: z.string() }),
  apply(state) {
    state.standing.length = 0;
  },
  trace: ({ body }) => [`${body.who} withdrew what was allowed for the session`],
});
