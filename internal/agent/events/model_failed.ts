/** A model did not answer; the next one is asked. */
import * as z from "zod";
import { defineEvent } from "./_event.ts";

/** Which model and why. */
export interface ModelFailed {
  readonly model: string;
  readonly code: string;
  readonly message: string;
}

/** Kept so that a trace shows why another model answered. */
export const modelFailed = defineEvent<ModelFailed>({
  kind: "model-failed",
  v: 1,
  body: z.object({ model: z.string(), code: z.string(), message: z.string() }),
  apply(state, { body }) {
    state.failures.push({ model: body.model, message: body.message });
  },
  trace: ({ body }) => [`model ${body.model} failed: ${body.message}`],
});
