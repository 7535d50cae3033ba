/** The operator's hooks for the beginning of a run have run. */
import * as z from "zod";
import { defineEvent } from "./_event.ts";

/** What they added to the person's message, if anything. */
export interface RunBegun {
  readonly added?: string;
}

/** Kept, so that a session that is gone on with after a crash tells the model the same. */
export const runBegun = defineEvent<RunBegun>({
  kind: "run-begun",
  v: 1,
  body: () => z.object({ added: z.string().exactOptional() }),
  apply(state, { body: { added } }) {
    const said = state.said.at(-1);
    if (said === undefined) return;
    said.begun = true;
    if (added !== undefined) said.added = added;
  },
  trace: ({ body: { added } }) => added === undefined ? [] : [`hooks added: ${added}`],
});
