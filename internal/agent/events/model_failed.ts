/** A model did not answer; the next one is asked. */
import * as z from "zod";
import type { KeptUsage } from "../state.ts";
import { defineEvent } from "./_event.ts";
import { countUsage, usageSchema } from "./_usage.ts";

/** Which model and why. */
export interface ModelFailed {
  readonly model: string;
  readonly code: string;
  readonly message: string;
  /** True when the same model is asked again for this turn. */
  readonly again?: boolean;
  /** What the request took all the same, where the provider said so. */
  readonly usage?: KeptUsage;
}

/** Kept so that a trace shows why another model answered. */
export const modelFailed = defineEvent<ModelFailed>({
  kind: "model-failed",
  v: 1,
  body: () =>
    z.object({
      model: z.string(),
      code: z.string(),
      message: z.string(),
      again: z.boolean().exactOptional(),
      usage: usageSchema.exactOptional(),
    }),
  apply(state, { body }) {
    const { model, message, again, usage } = body;
    if (again !== true) state.failures.push({ model, message });
    if (usage !== undefined) countUsage(state, usage);
  },
  trace: ({ body }) => [
    `model ${body.model} failed: ${body.message}${body.again === true ? "; asked again" : ""}`,
  ],
});
