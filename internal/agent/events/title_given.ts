/** A person named the session. */
import * as z from "zod";
import { defineEvent } from "./_event.ts";

/** The name, one line; empty takes it back. */
export interface TitleGiven {
  readonly title: string;
  readonly who: string;
}

/** Lists show it; the model does not see it. */
export const titleGiven = defineEvent<TitleGiven>({
  kind: "title-given",
  v: 1,
  body: () => z.object({ title: z.string(), who: z.string() }),
  apply(state, { body }) {
    state.title = body.title;
  },
  words: ({ title }) => title,
  listed: ({ title }) => ({ title }),
  trace: ({ body }) => [`${body.who} named the session: ${body.title}`],
});
