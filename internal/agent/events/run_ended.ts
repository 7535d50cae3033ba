/** A run is over: done, or stopped before it was. */
import * as z from "zod";
import { answerValue } from "../answer_form.ts";
import { freshBudget, saidInRun, sentInRun } from "../state.ts";
import { defineEvent } from "./_event.ts";

/** How it ended; `code` and `message` say why it stopped. */
export interface RunEnded {
  readonly how: "done" | "stopped";
  readonly code?: string;
  readonly message?: string;
}

/** A stopped run goes on with `sion agent continue`. */
export const runEnded = defineEvent<RunEnded>({
  kind: "run-ended",
  v: 1,
  body: () =>
    z.object({
      how: z.enum(["done", "stopped"]),
      code: z.string().exactOptional(),
      message: z.string().exactOptional(),
    }),
  apply(state, { body, atMs }) {
    state.ended = { ...body, atMs };
    state.budget = freshBudget(state);
    state.failures.length = 0;
  },
  stream({ body }, state) {
    const { session } = state;
    if (body.how === "done") {
      const value = answerValue(state);
      const form = value === undefined ? {} : { value };
      return [{ type: "done", session, said: saidInRun(state), files: sentInRun(state), ...form }];
    }
    const { code = "stopped", message = "the run stopped" } = body;
    return [{ type: "error", session, code, message }];
  },
  listed: ({ how }) => ({ standing: how }),
  trace: ({ body }) => [
    body.how === "done" ? "run done" : `run stopped (${body.code}): ${body.message}`,
  ],
});
