/** What became known of an uncertain call after the model had been told that it was uncertain. */
import * as z from "zod";
import type { CallEffect } from "../state.ts";
import { callOf } from "../state.ts";
import { defineEvent } from "./_event.ts";

/** The outcome as it is known now. */
export interface CallLearned {
  readonly call: string;
  readonly ok: boolean;
  readonly effect: CallEffect;
  readonly text: string;
}

/** The journal goes by it; what the model was told stays as it was. */
export const callLearned = defineEvent<CallLearned>({
  kind: "call-learned",
  v: 1,
  body: () =>
    z.object({
      call: z.string(),
      ok: z.boolean(),
      effect: z.enum(["done", "none", "uncertain"]),
      text: z.string(),
    }),
  apply(state, { body, atMs }) {
    const { call, ...learned } = body;
    callOf(state, call).learned = { ...learned, atMs };
  },
  trace: ({ body }) => [`call ${body.call} turned out: ${body.text}`],
});
