/** What a reviewed skill or a profile may have done without asking, by its rules. */
import { rulesAllow } from "./_allowing.ts";
import type { PolicyStep } from "./_step.ts";

/** Under the same conditions as what a person approved for the session. */
export const preApproved: PolicyStep = {
  name: "pre-approved",
  allow: (question, asked) =>
    rulesAllow(question, asked, question.state.preApproved.map(({ rule }) => rule)),
};
