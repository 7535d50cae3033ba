/** A person takes the last message back: it and its answer are forgotten. */
import * as z from "zod";
import { forgetFrom, lastMessage } from "../forget.ts";
import { defineEvent } from "./_event.ts";

/** Who does. */
export interface MessageForgotten {
  readonly who: string;
}

/** The session stands where it stood before the message. What its calls did stays done. */
export const messageForgotten = defineEvent<MessageForgotten>({
  kind: "message-forgotten",
  v: 1,
  body: () => z.object({ who: z.string() }),
  apply(state, { atMs }) {
    const last = lastMessage(state);
    if (last === undefined) throw new RangeError("there is no message to forget");
    forgetFrom(state, last.at, atMs);
    state.ended = { atMs, how: "done" };
  },
  listed: () => ({ standing: "done" }),
  trace: ({ body }) => [`${body.who} took the last message back`],
});
