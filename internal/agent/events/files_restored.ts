/** A person had files put back as they were before a message. */
import * as z from "zod";
import { changesOf } from "../file_history.ts";
import { count, defineEvent } from "./_event.ts";

/** What was put back, and what was not. */
export interface FilesRestored {
  readonly who: string;
  /** Changes behind this place of the log are undone, or given up. */
  readonly behind: number;
  readonly restored: readonly string[];
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/** Comes with the events that forget the messages. */
export const filesRestored = defineEvent<FilesRestored>({
  kind: "files-restored",
  v: 1,
  body: () =>
    z.object({
      who: z.string(),
      behind: count,
      restored: z.array(z.string()),
      left: z.array(z.object({ path: z.string(), why: z.string() })),
    }),
  apply(state, { body: { behind } }) {
    for (const change of changesOf(state)) if (change.seq > behind) change.undone = true;
  },
  trace: ({ body: { who, restored, left } }) => [
    `${who} went back: ${restored.length === 0 ? "no file" : restored.join(", ")} put back`,
    ...left.map(({ path, why }) => `not put back: ${path} (${why})`),
  ],
});
