/** An answer did not have the form that it has to have, and the model is asked for another. */
import * as z from "zod";
import { defineEvent } from "./_event.ts";

/** What did not fit. */
export interface AnswerRefused {
  readonly why: string;
}

/** It belongs to the run of the person's message: limits go on counting. */
export const answerRefused = defineEvent<AnswerRefused>({
  kind: "answer-refused",
  v: 1,
  body: () => z.object({ why: z.string() }),
  apply(state, { body, seq, atMs }) {
    state.entries.push({ said: state.said.length });
    state.said.push({
      seq,
      atMs,
      text: `Your answer does not fit the JSON Schema: ${body.why}. ` +
        "Give the whole answer again, as one JSON value that fits, and nothing else.",
      files: [],
      who: "sion",
      mayDecide: false,
      origin: { what: "the check of the answer", outside: false },
      begun: true,
      check: true,
    });
  },
  stream: ({ body }) => [{
    type: "notice",
    text: `the answer does not fit the schema (${body.why}): asked again`,
  }],
  trace: ({ body }) => [`answer refused: ${body.why}`],
});
