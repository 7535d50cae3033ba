/** A person's message; each begins a run. */
import * as z from "zod";
import type { SentFile, WordsOrigin } from "../conversation.ts";
import { bringIn } from "../outside.ts";
import { fileLines } from "../sent_files.ts";
import { freshBudget } from "../state.ts";
import { count, defineEvent } from "./_event.ts";

/** What is kept of a message. */
export interface PersonSaid {
  readonly text: string;
  readonly files: readonly SentFile[];
  readonly who: string;
  readonly mayDecide: boolean;
  readonly origin?: WordsOrigin;
  /** The channel's name of the message. */
  readonly id?: string;
}

/** Begins a run, whose tokens and failures are counted anew. */
export const personSaid = defineEvent<PersonSaid>({
  kind: "person-said",
  v: 1,
  body: () =>
    z.object({
      text: z.string(),
      files: z.array(z.object({
        name: z.string(),
        mediaType: z.string(),
        text: z.string().exactOptional(),
        size: count.exactOptional(),
        digest: z.string().exactOptional(),
        path: z.string().exactOptional(),
        missing: z.enum(["too-large", "gone", "not-kept"]).exactOptional(),
      })),
      who: z.string(),
      mayDecide: z.boolean(),
      origin: z.object({ what: z.string(), outside: z.boolean() }).exactOptional(),
      id: z.string().exactOptional(),
    }),
  apply(state, { body, seq, atMs }) {
    state.said.push({ ...body, seq, atMs });
    const { origin, text } = body;
    if (origin?.outside === true) bringIn(state, { from: origin.what, atMs, seq, text });
    const said = state.said.length - 1;
    state.entries.push({ said });
    for (const { digest, mediaType, size = 0 } of body.files) {
      if (digest !== undefined) state.pictures.push({ digest, mediaType, size, said });
    }
    delete state.ended;
    state.budget = freshBudget(state);
    state.failures.length = 0;
  },
  words: ({ text }) => text,
  listed: ({ text }) => ({ standing: "open", task: text }),
  trace({ body: { who, text, origin, files } }) {
    const whose = origin === undefined ? "" : ` (${origin.what})`;
    return [`${who}${whose} said: ${text}`, ...fileLines(files)];
  },
});
