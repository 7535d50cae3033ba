/** A person's approval of this very call answers every question about it. */
import type { PolicyStep } from "./_step.ts";

/** One call, one approval: it holds for the call it was given to and no other. */
export const approval: PolicyStep = {
  name: "approval",
  allow: ({ call }) => call.decided?.approve === true,
};
