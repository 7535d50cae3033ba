/** A person approved calls of a kind for the rest of the session. */
import * as z from "zod";
import { parseRule } from "../standing.ts";
import { defineEvent } from "./_event.ts";

/** Which, and who did. */
export interface StandingGiven {
  /** As `ruleText` writes it. */
  readonly rule: string;
  readonly who: string;
}

/** Holds until it is withdrawn, and not while the session holds content from outside. */
export const standingGiven = defineEvent<StandingGiven>({
  kind: "standing-given",
  v: 1,
  body: () => z.object({ rule: z.string(), who: z.string() }),
  apply(state, { body: { rule, who }, atMs }) {
    state.standing.push({ rule: parseRule(rule), who, atMs });
  },
  trace: ({ body }) => [`${body.who} allowed ${body.rule} for the session`],
});
