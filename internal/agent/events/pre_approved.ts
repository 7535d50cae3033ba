/** A reviewed skill or a profile brings rules of its own. */
import * as z from "zod";
import { parseRule } from "../standing.ts";
import { defineEvent } from "./_event.ts";

/** Which rules, and whose. */
export interface PreApproved {
  /** For sentences: `skill count-words`. */
  readonly from: string;
  readonly rules: readonly string[];
}

/** The rules of one source replace those it brought before. */
export const preApproved = defineEvent<PreApproved>({
  kind: "pre-approved",
  v: 1,
  body: () => z.object({ from: z.string(), rules: z.array(z.string()) }),
  apply(state, { body: { from, rules } }) {
    const others = state.preApproved.filter((one) => one.from !== from);
    state.preApproved.splice(
      0,
      Infinity,
      ...others,
      ...rules.map((rule) => ({ rule: parseRule(rule), from })),
    );
  },
  trace: ({ body }) => body.rules.map((rule) => `${body.from} brings ${rule}`),
});
