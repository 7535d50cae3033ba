/** A model without tools was asked about content held in quarantine. */
import * as z from "zod";
import type { KeptUsage } from "../state.ts";
import { defineEvent } from "./_event.ts";
import { countUsage, usageSchema } from "./_usage.ts";

/** For which call, which model, and what it took. */
export interface ReaderAsked {
  readonly call: string;
  readonly model: string;
  readonly usage: KeptUsage;
}

/** Counts with what the session's models take. */
export const readerAsked = defineEvent<ReaderAsked>({
  kind: "reader-asked",
  v: 1,
  body: () => z.object({ call: z.string(), model: z.string(), usage: usageSchema }),
  apply(state, { body }) {
    state.readings++;
    countUsage(state, body.usage);
  },
  trace: ({ body }) => [`call ${body.call} asked the reader ${body.model}`],
});
