/** The session goes on from a copy of another one's conversation. */
import * as z from "zod";
import { journalRoot } from "../file_history.ts";
import { defineEvent } from "./_event.ts";

/** Where it is from. */
export interface SessionForked {
  readonly from: string;
  /** The first session of the line, whose journal holds in all of them. */
  readonly root: string;
  readonly who: string;
}

/** Comes last among the events that were copied. */
export const sessionForked = defineEvent<SessionForked>({
  kind: "session-forked",
  v: 1,
  body: () => z.object({ from: z.string(), root: z.string(), who: z.string() }),
  apply(state, { body: { root } }) {
    journalRoot.set(state, root);
  },
  listed: () => ({ standing: "done" }),
  trace: ({ body: { from, who } }) => [`${who} forked it from session ${from}`],
});
