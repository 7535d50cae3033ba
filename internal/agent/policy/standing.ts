/** What a person approved for the rest of the session, by a rule. */
import { rulesAllow } from "./_allowing.ts";
import type { PolicyStep } from "./_step.ts";

/** Never for money, never while tainted, never past what another step has against a call. */
export const standing: PolicyStep = {
  name: "standing",
  allow: (question, asked) =>
    rulesAllow(question, asked, question.state.standing.map(({ rule }) => rule)),
};
