/** A person wants the last message answered again: its answer is forgotten. */
import * as z from "zod";
import { forgetFrom, lastMessage } from "../forget.ts";
import { freshBudget } from "../state.ts";
import { defineEvent } from "./_event.ts";

/** Who wants it. */
export interface AnswerForgotten {
  readonly who: string;
}

/** The run goes on from the message, with its limits anew. What its calls did stays done. */
export const answerForgotten = defineEvent<AnswerForgotten>({
  kind: "answer-forgotten",
  v: 1,
  body: () => z.object({ who: z.string() }),
  apply(state, { atMs }) {
    const last = lastMessage(state);
    if (last === undefined) throw new RangeError("there is no message to answer again");
    forgetFrom(state, last.at + 1, atMs);
    delete state.ended;
    state.budget = freshBudget(state);
    state.failures.length = 0;
  },
  listed: () => ({ standing: "open" }),
  trace: ({ body }) => [`${body.who} wants the last message answered again`],
});
