/** Content from outside came in otherwise than by a call: with a subagent's task, a resource. */
import * as z from "zod";
import { bringIn } from "../outside.ts";
import { defineEvent } from "./_event.ts";

/** What it is and where it is from. */
export interface OutsideBrought {
  readonly from: string;
  readonly text: string;
}

/** Taints the session from here on. */
export const outsideBrought = defineEvent<OutsideBrought>({
  kind: "outside-brought",
  v: 1,
  body: () => z.object({ from: z.string(), text: z.string() }),
  apply(state, { body, seq, atMs }) {
    bringIn(state, { ...body, seq, atMs });
  },
  trace: ({ body }) => [`tainted by ${body.from}`],
});
